// SPDX-License-Identifier: Apache-2.0
// The stores of a run, also of one that is going on. Only looks: recovers nothing, and leaves every file as
// it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

// Who writes a store.
enum class StoreWriter : std::uint8_t {
  kAlive,      // its process, on this machine
  kGone,       // it died, and left rows that are to be recovered
  kNone,       // nobody: closed, recovered, or copied here without what belongs to it
  kElsewhere,  // a process of another machine, where the store is until it ends
};

struct RunStore {
  std::uint32_t rank = 0, pid = 0;
  std::filesystem::path database;  // where it is now; empty where that is another machine
  StoreWriter writer = StoreWriter::kNone;
};

// By rank and pid; none before the first process has made its store, and of a folder that is no run.
STRATA_RUNTIME_EXPORT std::vector<RunStore> find_run_stores(const std::filesystem::path& run_directory);

}  // namespace strata
