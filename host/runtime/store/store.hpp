// SPDX-License-Identifier: Apache-2.0
// The run store of one process: typed tables that any thread appends rows to, kept in
// <rank folder>/<pid>.sqlite (docs/run-store.md).
//
// A row goes to its thread's spool, a memory-mapped file, and from there into SQLite, by one low-priority
// writer thread. If `append` returned true, the row survives the death of the process: the next program that
// opens the run drains the rest (strata/runtime/recovery.hpp).
//
// A process can have one open store at a time. After it was closed the next may be opened, even while it
// still lives. In a forked child the inherited store is dead: it accepts nothing, and touches neither the
// parent's files nor its locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strata/events.h"
#include "strata/ext/store.h"
#include "strata/runtime/options.hpp"

namespace strata {

// After SQLite has refused rows (a full disk) for this long, appends no longer wait for a full spool.
inline constexpr std::chrono::seconds kStorePatience{2};

class Store {
 public:
  // Creates the rank folder if necessary. `meta` fills the table of that name; `schema`, `pid` and `state`
  // are added. Throws std::runtime_error if the store cannot be created, std::logic_error if another one is
  // open.
  Store(const std::filesystem::path& rank_folder, std::uint32_t pid, const StoreOptions& options,
        const std::map<std::string, std::string>& meta);
  // Closes an open store without an `end`.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Creates the table <plugin_id>_<table.name> and returns its handle, from 1. An identical table returns the
  // same handle. Throws std::invalid_argument with the reason.
  std::uint32_t declare(std::string_view plugin_id, const strata_table& table);

  // Copies one row into the calling thread's spool. [any] [alloc-lock]. Returns false if the row was dropped
  // and counted, the store is closed, or `table` is not a handle.
  bool append(std::uint32_t table, const void* row) noexcept;

  // Returns the text's id and a NUL-terminated copy that lives as long as the store. [any], not [alloc-lock].
  // The empty text has id 0; a text is cut after 1 MiB. Takes no lock and no heap memory for a text that this
  // thread has interned before.
  strata_name intern(std::string_view text);

  // Adds or replaces a fact in `meta`, with the writer's next transaction. [any], not [alloc-lock]
  void set_meta(std::string_view key, std::string_view value);

  // [any] The writer's thread calls `work` about once a second, and the thread that closes the store calls it
  // once more. `work` must not throw; the objects it uses must live until then.
  void each_second(std::function<void()> work);

  // Ends appending, drains every spool, writes `end` (docs/run-store.md) and closes the file. Concurrent rows
  // of other threads are either drained or refused. Idempotent. Waits for the disk, but not for ever: rows
  // that could not be written stay in the spools for recovery, and a problem is reported.
  void close(std::string_view end);

  // Number of rows dropped so far because a spool was full or could not be created.
  std::uint64_t drops() const noexcept;

  // Problems with the files so far, each once, as complete messages.
  std::vector<std::string> problems() const;

  // After closing: what is missing for lack of space, and why, as a complete message; empty if nothing is
  // missing except what it was told to drop.
  std::string lost() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace strata
