// SPDX-License-Identifier: Apache-2.0
// The run store of one process: typed tables that any thread appends rows to, kept in
// <rank folder>/<pid>.sqlite (docs/run-store.md).
//
// A row goes to its thread's spool, a file mapped into memory, and from there, by one writer thread of low
// priority, into SQLite. What `append` returned true for survives the death of the process; whoever opens the
// run afterwards drains what is left (strata/runtime/recovery.hpp).
//
// One store a process is open at a time; when it was closed the next may be opened, though it still lives. A
// forked child inherits a store that is dead: it takes nothing, and touches neither the parent's files nor
// its locks.
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

// How long SQLite may refuse rows (a full disk) until appends that find their spool full wait no longer.
inline constexpr std::chrono::seconds kStorePatience{2};

class Store {
 public:
  // Creates the rank folder if need be. `meta` fills the table of that name; `schema`, `pid` and `state` are
  // added to it. Throws std::runtime_error when the store cannot be made, std::logic_error when another is
  // open.
  Store(const std::filesystem::path& rank_folder, std::uint32_t pid, const StoreOptions& options,
        const std::map<std::string, std::string>& meta);
  // Closes an open store without an `end`.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Makes the table <plugin_id>_<table.name> and returns its handle, 1 and up. The same table again gives the
  // same handle. Throws std::invalid_argument with the reason.
  std::uint32_t declare(std::string_view plugin_id, const strata_table& table);

  // Copies one row into the calling thread's spool. [any] [alloc-lock]. False: dropped and counted, the store
  // is closed, or `table` is no handle.
  bool append(std::uint32_t table, const void* row) noexcept;

  // The text's id and a NUL-terminated copy of it that lives as long as the store. [any], not [alloc-lock].
  // The empty text has id 0; a text of more than 1 MiB is cut there. Takes no lock and no heap for a text
  // that this thread has interned before.
  strata_name intern(std::string_view text);

  // Adds or replaces a fact in `meta`, with the writer's next transaction. [any], not [alloc-lock]
  void set_meta(std::string_view key, std::string_view value);

  // [any] Has the writer's thread call it about each second, and who closes the store once more. It may not
  // throw, and what it uses lives until then.
  void each_second(std::function<void()> work);

  // Ends appending, drains every spool, writes `end` (docs/run-store.md) and closes the file. Rows that other
  // threads append meanwhile are either drained or refused. Idempotent. Waits for the disk, but not for ever:
  // what could not be written stays in the spools, to be recovered, and is a problem.
  void close(std::string_view end);

  // Rows dropped so far, because a spool was full or could not be had.
  std::uint64_t drops() const noexcept;

  // What went wrong with the files so far, each once, as whole messages.
  std::vector<std::string> problems() const;

  // Once it is closed: what of the run is not in it for want of space, and why, as a whole message; empty
  // where it has everything but what it was told to drop.
  std::string lost() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace strata
