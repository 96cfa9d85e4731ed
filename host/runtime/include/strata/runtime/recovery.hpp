// SPDX-License-Identifier: Apache-2.0
// Recovers the data of a killed process: before a run is read after a crash, its spools are drained.
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

// Drains the spools of every store of a run directory whose process is gone. Returns all stores, sorted by
// rank and pid. The run may come from an untrusted source: nothing of it is executed, and nothing outside its
// folder is created, changed or removed. A store behind a link is therefore left alone, with a problem. Safe
// to call twice, and from two processes at once (a lock file; the second waits). A store whose process still
// runs is returned undrained. Throws std::runtime_error if `run_directory` is not a run.
STRATA_RUNTIME_EXPORT std::vector<RecoveredStore> recover_run(const std::filesystem::path& run_directory);

}  // namespace strata
