// SPDX-License-Identifier: Apache-2.0
// What a killed process left behind, made whole: whoever opens a run after a crash drains its spools first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

struct RecoveredStore {
  std::filesystem::path store;       // rank<k>/<pid>.sqlite
  std::uint64_t rows_recovered = 0;  // moved from spools into the store by this call
  std::vector<std::string>
      problems;  // spools that could not be read, with the reason; they are left in place
};

// Drains the spools of every store of a run directory whose process is gone, and returns all its stores,
// sorted by rank and pid. The run may come from anybody: nothing of it is run, and nothing outside of its
// folder is made, changed or removed, so that a store behind a link is left alone, with a problem. Safe to
// call twice and from two processes at once (a lock file; the second waits). A store whose process still runs
// is returned undrained. Throws std::runtime_error when `run_directory` is not a run.
STRATA_RUNTIME_EXPORT std::vector<RecoveredStore> recover_run(const std::filesystem::path& run_directory);

}  // namespace strata
