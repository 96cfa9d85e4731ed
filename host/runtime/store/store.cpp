// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/store.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "host/runtime/clock.hpp"
#include "host/runtime/file_lock.hpp"
#include "host/runtime/problem_list.hpp"
#include "host/runtime/store/definition_log.hpp"
#include "host/runtime/store/open_store.hpp"
#include "host/runtime/store/spool_pool.hpp"
#include "host/runtime/store/store_database.hpp"
#include "host/runtime/store/store_place.hpp"
#include "host/runtime/store/store_schema.hpp"
#include "host/runtime/store/string_table.hpp"
#include "host/runtime/store/table.hpp"
#include "host/runtime/store/writer_thread.hpp"
#include "strata/runtime/file_system.hpp"

namespace strata {

// Counts the rows of threads that have no spool because no file could be created, until they can be recorded.
class LostRows {
 public:
  // [any] [alloc-lock]
  void add(std::uint32_t table, std::uint32_t thread, std::int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    Gap& gap = gaps_.try_emplace({table, thread}, Gap{table, thread, 0, now_ns, now_ns}).first->second;
    ++gap.rows;
    gap.end_ns = now_ns;
  }

  // [any]
  void move_to(DefinitionLog& log) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, gap] : gaps_) log.append(gap);
    gaps_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Gap> gaps_;  // by table and thread
};

namespace {

// An append is a copy of one row.
constexpr std::chrono::seconds kCloseLimit{1};

StorePlace choose_place(const std::filesystem::path& rank_folder, std::uint32_t pid) {
  std::filesystem::create_directories(rank_folder);
  return StorePlace::create(rank_folder, pid, file_system_of(rank_folder).network);
}

FileLock own(const std::filesystem::path& owner_file) {
  std::optional<FileLock> lock = FileLock::take_now(owner_file);
  if (!lock) throw std::runtime_error(owner_file.string() + " is locked by a living process");
  return std::move(*lock);
}

// Waits for the writer: at first as long as a batch in progress may take, then in ever longer naps.
class Backoff {
 public:
  void pause() noexcept {
    if (++pauses_ <= kSpins) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap_);
      if (nap_ < kLongestNap) nap_ *= 2;
    }
  }

 private:
  static constexpr int kSpins = 16;
  static constexpr std::chrono::microseconds kLongestNap{2000};
  int pauses_ = 0;
  std::chrono::microseconds nap_{50};
};

}  // namespace

class Store::Implementation {
 public:
  Implementation(const std::filesystem::path& rank_folder, std::uint32_t pid, const StoreOptions& options,
                 const std::map<std::string, std::string>& meta)
      : on_full_(options.on_full),
        place_(choose_place(rank_folder, pid)),
        owner_(own(place_.owner_file())),
        pool_(place_.spool_folder(), StoreSize(options).spool_bytes()),
        open_(pool_, owner_.descriptor()),
        definitions_(place_.spool_folder() / kDefinitionFile),
        strings_(definitions_),
        database_(place_.database()) {
    const StoreSize size(options);
    if (size.is_limited()) database_.prepare_thinning(size.log_bytes());
    database_.begin();
    for (const auto& [key, value] : meta) database_.set_meta(key, value);
    database_.set_meta("schema", kStoreSchema);
    database_.set_meta("pid", std::to_string(pid));
    database_.set_meta("state", "open");
    database_.commit();
    make_first_spools();
    writer_.emplace(database_, pool_, definitions_, problems_, size);
  }

  bool append(std::uint32_t table, const void* row) noexcept {
    if (table > kMaximumTables) return false;
    const std::uint32_t bytes = row_bytes_[table].load(std::memory_order_relaxed);
    ThreadSlot& slot = current_thread_slot;
    if (slot.store == open_.id() && slot.spool != nullptr && bytes != 0) [[likely]] {
      if (slot.spool->append(table, row, bytes) == Spool::Answer::kAppended) [[likely]] {
        if (slot.spool->take_half_full()) writer_->wake();
        return true;
      }
    }
    return append_slowly(table, row, bytes);
  }

  std::uint32_t declare(std::string_view plugin_id, const strata_table& declared) {
    Table table = copy_table(plugin_id, declared);
    if (open_.is_inherited()) throw std::invalid_argument("the run store is the parent process's");
    const std::lock_guard lock(mutex_);
    for (std::uint32_t handle = 1; handle <= table_count_; ++handle) {
      if (tables_[handle].name != table.name) continue;
      if (tables_[handle] == table) return handle;
      throw std::invalid_argument(fmt::format(
          "table '{}' is already declared by '{}' with other columns or help; choose another name",
          table.name, tables_[handle].plugin));
    }
    if (closed_) throw std::invalid_argument(fmt::format("table '{}': the run store is closed", table.name));
    if (table_count_ == kMaximumTables) {
      throw std::invalid_argument(fmt::format(
          "table '{}': a run store holds at most {} tables, and all are in use", table.name, kMaximumTables));
    }
    const std::uint32_t handle = ++table_count_;
    const std::uint32_t row_bytes = table.row_bytes;
    definitions_.append(TableDefinition{handle, table});
    tables_[handle] = std::move(table);
    row_bytes_[handle].store(row_bytes, std::memory_order_release);
    return handle;
  }

  strata_name intern(std::string_view text) {
    if (open_.is_inherited()) return {"", 0, 0};
    ThreadSlot& slot = current_thread_slot;
    if (slot.store != open_.id() || slot.names == nullptr) open_.claim_slot();
    return strings_.intern(text, *slot.names);
  }

  void set_meta(std::string_view key, std::string_view value) {
    if (!open_.is_inherited()) definitions_.append(Fact{std::string(key), std::string(value)});
  }

  void each_second(std::function<void()> work) { writer_->each_second(std::move(work)); }

  void close(std::string_view end) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    if (!pool_.close(own_spool(), kCloseLimit)) {
      problems_.add("run store: a thread did not leave its append in time, and its last row may be missing");
    }
    lost_.move_to(definitions_);
    const bool is_drained = writer_->finish();
    open_.release();
    if (!is_drained) return;
    try {
      finish_database(end);
      place_.settle();
      settled_.store(true);
    } catch (const std::exception& error) {
      problems_.add(fmt::format("run store: not closed ({}); `strata report` recovers it", error.what()));
    }
  }

  bool is_inherited() const noexcept { return open_.is_inherited(); }
  std::uint64_t drops() const noexcept {
    return drops_.load(std::memory_order_relaxed) + writer_->dropped_rows();
  }
  std::vector<std::string> problems() const { return problems_.list(); }
  std::string lost() const;

 private:
  // A thread's first row, a full spool, a closed store, a forked child, a wrong handle.
  [[gnu::noinline, gnu::cold]] bool append_slowly(std::uint32_t table, const void* row,
                                                  std::uint32_t bytes) noexcept;
  bool count_drop() noexcept {
    drops_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  // For a row that was not allowed to be dropped.
  bool count_loss() noexcept {
    losses_.fetch_add(1, std::memory_order_relaxed);
    return count_drop();
  }
  ThreadSlot* claim_slot() noexcept;
  const Spool* own_spool() const noexcept {
    return current_thread_slot.store == open_.id() ? current_thread_slot.spool : nullptr;
  }
  void finish_database(std::string_view end);
  void make_first_spools() noexcept;

  const OnFull on_full_;
  const StorePlace place_;
  ProblemList problems_;
  FileLock owner_;
  SpoolPool pool_;
  OpenStore open_;
  DefinitionLog definitions_;
  StringTable strings_;
  LostRows lost_;
  std::atomic<std::uint64_t> drops_ = 0;
  std::atomic<std::uint64_t> losses_ = 0;  // of these
  std::atomic<bool> settled_ = false;
  std::array<std::atomic<std::uint32_t>, kMaximumTables + 1> row_bytes_{};  // by handle; 0: no table

  std::mutex mutex_;  // of what follows
  std::array<Table, kMaximumTables + 1> tables_;
  std::uint32_t table_count_ = 0;
  bool closed_ = false;
  StoreDatabase database_;  // the writer's until it has finished
  std::optional<WriterThread> writer_;
};

ThreadSlot* Store::Implementation::claim_slot() noexcept {
  try {
    ThreadSlot& slot = open_.claim_slot();
    writer_->wake();  // to replace the spool that was taken
    return &slot;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool Store::Implementation::append_slowly(std::uint32_t table, const void* row,
                                          std::uint32_t bytes) noexcept {
  if (bytes == 0 || open_.is_inherited() || pool_.is_closed()) return false;
  ThreadSlot& slot = current_thread_slot;
  if (slot.store != open_.id() || slot.spool == nullptr) {
    if (claim_slot() == nullptr || slot.spool == nullptr) {
      if (pool_.is_closed()) return false;
      lost_.add(table, static_cast<std::uint32_t>(gettid()), monotonic_ns());
      return count_loss();
    }
  }
  Backoff backoff;
  for (;;) {
    switch (slot.spool->append(table, row, bytes)) {
      case Spool::Answer::kAppended:
        return true;
      case Spool::Answer::kRefused:
        return pool_.is_closed() ? false : count_loss();
      case Spool::Answer::kFull:
        break;
    }
    writer_->wake();
    const bool stalled = writer_->is_stalled();
    if (on_full_ == OnFull::kDrop || stalled) {
      slot.spool->drop(table, monotonic_ns());
      return stalled ? count_loss() : count_drop();
    }
    backoff.pause();
  }
}

// Call before the writer's thread exists, which may have to wait long before it runs: the first threads then
// find a spool and need not create one. If there is no space, the writer encounters and reports that again.
void Store::Implementation::make_first_spools() noexcept {
  try {
    pool_.top_up();
  } catch (const std::exception&) {
  }
}

void Store::Implementation::finish_database(std::string_view end) {
  database_.begin();
  for (const Spool* spool : pool_.spools()) {
    for (const Gap& gap : spool->open_gaps()) database_.define(gap);
  }
  database_.set_meta("state", "closed");
  if (!end.empty()) database_.set_meta("end", end);
  database_.commit();
  database_.close();
}

std::string Store::Implementation::lost() const {
  const std::uint64_t rows = losses_.load(std::memory_order_relaxed);
  if (rows == 0 && settled_.load()) return {};
  return fmt::format("{}; {}",
                     rows == 0
                         ? "rows of this run are not in its store yet"
                         : fmt::format("{} rows of this run are lost and missing from its report", rows),
                     fmt::join(problems_.list(), "; "));
}

Store::Store(const std::filesystem::path& rank_folder, std::uint32_t pid, const StoreOptions& options,
             const std::map<std::string, std::string>& meta)
    : implementation_(std::make_unique<Implementation>(rank_folder, pid, options, meta)) {}

Store::~Store() {
  if (implementation_->is_inherited()) {
    // The parent's; even to free it would join a thread that is not here. The child's exit takes it.
    [[maybe_unused]] const Implementation* left_alone = implementation_.release();
    return;
  }
  close({});
}

std::uint32_t Store::declare(std::string_view plugin_id, const strata_table& table) {
  return implementation_->declare(plugin_id, table);
}

bool Store::append(std::uint32_t table, const void* row) noexcept {
  return implementation_->append(table, row);
}

strata_name Store::intern(std::string_view text) {
  return implementation_->intern(text);
}

void Store::set_meta(std::string_view key, std::string_view value) {
  implementation_->set_meta(key, value);
}

void Store::each_second(std::function<void()> work) {
  implementation_->each_second(std::move(work));
}

void Store::close(std::string_view end) {
  if (!implementation_->is_inherited()) implementation_->close(end);
}

std::uint64_t Store::drops() const noexcept {
  return implementation_->drops();
}

std::vector<std::string> Store::problems() const {
  return implementation_->problems();
}

std::string Store::lost() const {
  return implementation_->lost();
}

}  // namespace strata
