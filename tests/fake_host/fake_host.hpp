// SPDX-License-Identifier: Apache-2.0
// A host for tests of one source or plugin: options from a map, services that record their calls.
//
// Events are numbered as in the session and passed to the plugin's own listeners, so that a source that
// listens to itself works. Services may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "strata/entry.h"
#include "strata/ext/emit.h"
#include "strata/ext/log.h"
#include "strata/ext/run.h"
#include "strata/ext/step.h"
#include "strata/ext/store.h"

namespace strata::test {

struct MemoryRecord {
  std::uint64_t sequence;
  std::uint32_t thread;
  strata_memory_event event;
};

struct OpRecord {
  std::uint64_t begin_sequence;
  std::uint64_t end_sequence;  // 0 while open
  std::uint32_t thread;
  std::uint32_t end_thread;
  std::string name;
  strata_op_info info;  // with its ordinal and parent
};

struct GraphRecord {
  std::uint64_t sequence;
  std::uint64_t op;  // innermost on the thread
  strata_graph_event event;
};

class FakeHost {
 public:
  // `options` as in YAML; missing ones have the descriptor's default.
  explicit FakeHost(std::map<std::string, std::string> options = {});
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  // Opens `file`, initialises it and creates its first plugin. Throws std::runtime_error with the reason.
  void load(const char* file);
  void destroy();

  void begin_run();
  void begin_step(std::uint64_t index, std::uint32_t schedule = STRATA_STEP_ACTIVE);
  void end_run();

  // STRATA_INTEREST_*; initially all.
  void set_interest(std::uint32_t interest) { interest_ = interest; }
  // Withholds a service.
  void withhold(const std::string& id) { withheld_.insert(id); }

  const strata_host* handle() const { return &host_; }
  const strata_descriptor& descriptor() const { return *descriptor_; }
  template <typename Listener>
  const Listener* listener(const char* id) const {
    return static_cast<const Listener*>(plugin_->listener(plugin_, id));
  }
  void* self() const { return plugin_->self; }

  std::vector<MemoryRecord> memory() const;
  std::vector<OpRecord> ops() const;
  std::vector<GraphRecord> graph() const;
  std::vector<std::string> log() const;
  // The reason of the plugin's failure (STRATA_LOG_PLUGIN_FAILED); empty if there was none.
  std::string failure() const;
  std::uint64_t last_sequence() const { return sequence_; }

  // Rows of a declared table; Row must be its row struct.
  template <typename Row>
  std::vector<Row> rows(const std::string& table) const {
    const std::lock_guard lock(mutex_);
    const Table& found = table_named(table);
    std::vector<Row> result(found.rows);
    if (found.rows > 0) std::memcpy(result.data(), found.bytes.get(), found.rows * sizeof(Row));
    return result;
  }
  const strata_table& table(const std::string& name) const;
  std::vector<std::string> columns(const std::string& table) const;

 private:
  struct Table {
    strata_table declared;  // a copy, like its columns
    std::vector<strata_column> columns;
    std::unique_ptr<std::byte[]> bytes;
    std::size_t capacity = 0;
    std::atomic<std::size_t> rows{0};
  };
  struct Services;

  strata_when stamp();
  const Table& table_named(const std::string& name) const;
  const char* option(const char* key) const;

  std::map<std::string, std::string> options_;
  strata_host host_;
  const strata_entry* entry_ = nullptr;
  const strata_descriptor* descriptor_ = nullptr;
  strata_plugin* plugin_ = nullptr;
  const strata_memory_listener* memory_listener_ = nullptr;
  std::set<std::string> withheld_;
  std::atomic<std::uint32_t> interest_{UINT32_MAX};
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> next_op_{1};

  mutable std::mutex mutex_;
  std::vector<MemoryRecord> memory_;
  std::deque<OpRecord> ops_;
  std::vector<GraphRecord> graph_;
  std::vector<std::string> log_;
  std::string failure_;
  std::deque<std::string> names_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> open_ops_;  // by thread
  std::deque<Table> tables_;
};

}  // namespace strata::test
