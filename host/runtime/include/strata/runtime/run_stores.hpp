// SPDX-License-Identifier: Apache-2.0
// Lists the stores of a run, even while it is running. Read-only: recovers nothing, and leaves every file as
// it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

// The writer of a store.
enum class StoreWriter : std::uint8_t {
  kAlive,      // its process, on this machine
  kGone,       // its process died and left rows to recover
  kNone,       // closed, recovered, or copied here without its other files
  kElsewhere,  // a process on another machine, which has the store until it ends
};

struct RunStore {
  std::uint32_t rank = 0, pid = 0;
  std::filesystem::path database;  // current path; empty if it is on another machine
  StoreWriter writer = StoreWriter::kNone;
};

// Sorted by rank and pid. Empty before the first process has made its store, and for a folder that is not a
// run.
STRATA_RUNTIME_EXPORT std::vector<RunStore> find_run_stores(const std::filesystem::path& run_directory);

}  // namespace strata
