// SPDX-License-Identifier: Apache-2.0
#include "tests/fake_host/fake_host.hpp"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace strata::test {
namespace {

constexpr std::size_t kTableBytes = std::size_t{64} << 20;

FakeHost& of(const strata_host* host) {
  return *static_cast<FakeHost*>(host->self);
}

std::uint32_t this_thread() {
  return static_cast<std::uint32_t>(gettid());
}

}  // namespace

struct FakeHost::Services {
  static const void* find(const strata_host* host, const char* id) {
    if (of(host).withheld_.contains(id)) return nullptr;
    const std::string_view name(id);
    if (name == STRATA_EXT_EMIT) return &kEmit;
    if (name == STRATA_EXT_STORE) return &kStore;
    if (name == STRATA_EXT_LOG) return &kLog;
    return nullptr;
  }

  static std::uint32_t interest(const strata_host* host) { return of(host).interest_; }

  static void intern(const strata_host* host, const char* text, std::size_t bytes, strata_name* name) {
    FakeHost& self = of(host);
    const std::lock_guard lock(self.mutex_);
    self.names_.emplace_back(text, bytes);
    *name = {.text = self.names_.back().c_str(),
             .id = static_cast<std::uint32_t>(self.names_.size()),
             .reserved = 0};
  }

  static void memory(const strata_host* host, const strata_memory_event* event) {
    FakeHost& self = of(host);
    const strata_when when = self.stamp();
    {
      const std::lock_guard lock(self.mutex_);
      self.memory_.push_back({when.sequence, when.thread, *event});
    }
    if (self.memory_listener_ != nullptr) self.memory_listener_->on_memory(self.self(), &when, event);
  }

  static std::uint64_t op_begin(const strata_host* host, const strata_op_info* op) {
    FakeHost& self = of(host);
    const strata_when when = self.stamp();
    const std::lock_guard lock(self.mutex_);
    auto& open = self.open_ops_[when.thread];
    OpRecord record{when.sequence, 0, when.thread, 0, op->name.text, *op};
    record.info.ordinal = self.next_op_++;
    record.info.parent = open.empty() ? STRATA_NONE : open.back();
    open.push_back(record.info.ordinal);
    self.ops_.push_back(record);
    return record.info.ordinal;
  }

  static void op_end(const strata_host* host, std::uint64_t op) {
    FakeHost& self = of(host);
    const strata_when when = self.stamp();
    const std::lock_guard lock(self.mutex_);
    OpRecord& record = self.ops_.at(op - 1);
    record.end_sequence = when.sequence;
    record.end_thread = when.thread;
    auto& open = self.open_ops_[when.thread];
    while (!open.empty() && open.back() != op) open.pop_back();
    if (!open.empty()) open.pop_back();
  }

  static void graph(const strata_host* host, const strata_graph_event* event) {
    FakeHost& self = of(host);
    const strata_when when = self.stamp();
    const std::lock_guard lock(self.mutex_);
    const auto& open = self.open_ops_[when.thread];
    self.graph_.push_back({when.sequence, open.empty() ? STRATA_NONE : open.back(), *event});
  }

  static std::uint32_t declare(const strata_host* host, const strata_table* table) {
    FakeHost& self = of(host);
    const std::lock_guard lock(self.mutex_);
    Table& made = self.tables_.emplace_back();
    made.declared = *table;
    made.columns.assign(table->columns, table->columns + table->column_count);
    made.declared.columns = made.columns.data();
    made.bytes = std::make_unique_for_overwrite<std::byte[]>(kTableBytes);
    made.capacity = kTableBytes / table->row_bytes;
    return static_cast<std::uint32_t>(self.tables_.size());
  }

  // As in the real host: no lock, no allocation.
  static std::int32_t append(const strata_host* host, std::uint32_t table, const void* row) {
    Table& found = of(host).tables_.at(table - 1);
    const std::size_t index = found.rows.fetch_add(1);
    if (index >= found.capacity) std::abort();
    std::memcpy(&found.bytes[index * found.declared.row_bytes], row, found.declared.row_bytes);
    return 1;
  }

  static std::uint32_t intern_text(const strata_host* host, const char* text, std::size_t bytes) {
    strata_name name{};
    intern(host, text, bytes, &name);
    return name.id;
  }

  static void write(const strata_host* host, std::uint32_t severity, const char* text) {
    FakeHost& self = of(host);
    const std::lock_guard lock(self.mutex_);
    if (severity == STRATA_LOG_PLUGIN_FAILED) self.failure_ = text;
    self.log_.emplace_back(text);
  }

  static constexpr strata_emit_service kEmit{.struct_size = sizeof(strata_emit_service),
                                             .reserved = 0,
                                             .interest = &interest,
                                             .intern = &intern,
                                             .memory = &memory,
                                             .op_begin = &op_begin,
                                             .op_end = &op_end,
                                             .graph = &graph,
                                             .tensor = nullptr,
                                             .activity = nullptr,
                                             .interest_in_window = nullptr};
  static constexpr strata_store_service kStore{.struct_size = sizeof(strata_store_service),
                                               .reserved = 0,
                                               .declare = &declare,
                                               .append = &append,
                                               .intern = &intern_text};
  static constexpr strata_log_service kLog{
      .struct_size = sizeof(strata_log_service), .reserved = 0, .write = &write};
};

FakeHost::FakeHost(std::map<std::string, std::string> options)
    : options_(std::move(options)),
      host_{.struct_size = sizeof(strata_host),
            .abi_major = STRATA_ABI_MAJOR,
            .abi_minor = STRATA_ABI_MINOR,
            .self = this,
            .version = "test",
            .service = &Services::find,
            .option_flag = [](const strata_host* host, const char* key) -> std::int32_t {
              return std::strcmp(of(host).option(key), "true") == 0;
            },
            .option_integer = [](const strata_host* host, const char* key) -> std::int64_t {
              return std::stoll(of(host).option(key));
            },
            .option_real = [](const strata_host* host,
                              const char* key) { return std::stod(of(host).option(key)); },
            .option_text = [](const strata_host* host, const char* key) { return of(host).option(key); }} {}

const char* FakeHost::option(const char* key) const {
  if (const auto given = options_.find(key); given != options_.end()) return given->second.c_str();
  for (std::uint32_t i = 0; i < descriptor_->option_count; ++i) {
    if (std::strcmp(descriptor_->options[i].key, key) == 0) return descriptor_->options[i].default_text;
  }
  throw std::logic_error(std::string("asked for an option that is not declared: ") + key);
}

void FakeHost::load(const char* file) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  entry_ = static_cast<const strata_entry*>(dlsym(library, STRATA_ENTRY_SYMBOL));
  std::array<char, 512> reason{};
  if (entry_->init(file, reason.data(), reason.size()) != 0) throw std::runtime_error(reason.data());
  descriptor_ = entry_->descriptor(0);
  plugin_ = entry_->create(&host_, descriptor_->id, reason.data(), reason.size());
  if (plugin_ == nullptr) throw std::runtime_error(reason.data());
  memory_listener_ = listener<strata_memory_listener>(STRATA_EXT_MEMORY);
}

void FakeHost::destroy() {
  plugin_->destroy(plugin_);
  plugin_ = nullptr;
  entry_->deinit();
}

void FakeHost::begin_run() {
  const strata_when when = stamp();
  const strata_run_info run{.struct_size = sizeof(run),
                            .rank = 0,
                            .world_size = 1,
                            .pid = static_cast<std::uint32_t>(getpid()),
                            .name = "test",
                            .directory = ""};
  if (const auto* run_listener = listener<strata_run_listener>(STRATA_EXT_RUN)) {
    run_listener->begin(self(), &when, &run);
  }
}

void FakeHost::begin_step(std::uint64_t index, std::uint32_t schedule) {
  const strata_when when = stamp();
  const strata_step_info step{.struct_size = sizeof(step),
                              .schedule = schedule,
                              .index = index,
                              .micro_batches = 1,
                              .reserved = 0,
                              .epoch = STRATA_NO_EPOCH};
  if (const auto* step_listener = listener<strata_step_listener>(STRATA_EXT_STEP)) {
    step_listener->begin(self(), &when, &step);
  }
}

void FakeHost::end_run() {
  const strata_when when = stamp();
  if (const auto* run_listener = listener<strata_run_listener>(STRATA_EXT_RUN)) {
    run_listener->end(self(), &when, STRATA_RUN_DONE);
  }
}

strata_when FakeHost::stamp() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {.struct_size = sizeof(strata_when),
          .thread = this_thread(),
          .sequence = ++sequence_,
          .monotonic_ns = now.tv_sec * 1'000'000'000 + now.tv_nsec,
          .step = STRATA_NO_STEP,
          .micro_batch = 0,
          .phase = STRATA_NONE,
          .op = STRATA_NONE,
          .module = STRATA_NONE,
          .reserved = 0};
}

std::vector<MemoryRecord> FakeHost::memory() const {
  const std::lock_guard lock(mutex_);
  std::vector<MemoryRecord> records = memory_;
  std::sort(records.begin(), records.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return records;
}

std::vector<OpRecord> FakeHost::ops() const {
  const std::lock_guard lock(mutex_);
  return {ops_.begin(), ops_.end()};
}

std::vector<GraphRecord> FakeHost::graph() const {
  const std::lock_guard lock(mutex_);
  return graph_;
}

std::vector<std::string> FakeHost::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

std::string FakeHost::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

const FakeHost::Table& FakeHost::table_named(const std::string& name) const {
  for (const Table& table : tables_) {
    if (name == table.declared.name) return table;
  }
  throw std::logic_error("no such table was declared: " + name);
}

const strata_table& FakeHost::table(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return table_named(name).declared;
}

std::vector<std::string> FakeHost::columns(const std::string& table) const {
  const std::lock_guard lock(mutex_);
  const strata_table& declared = table_named(table).declared;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < declared.column_count; ++i) names.emplace_back(declared.columns[i].name);
  return names;
}

}  // namespace strata::test
