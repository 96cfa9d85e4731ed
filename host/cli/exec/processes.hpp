// SPDX-License-Identifier: Apache-2.0
// The processes of a command that recorded something: a job's ranks, and what they started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace strata::cli {

struct RecordedProcess {
  std::uint32_t rank = 0, pid = 0;
  std::uint64_t steps = 0;
  bool is_main = false;  // the one of its rank that trained: the most steps, of equals the largest store
};

// After all of them have ended: makes what killed ones left whole, removes what is empty (a launcher's, a
// data loader's), and makes the manifest of each rank's main process that rank's. `dry`: a JSON object for
// its section of that name; or empty. By rank and pid. Throws std::runtime_error.
std::vector<RecordedProcess> settle_processes(const std::filesystem::path& run_directory,
                                              const std::string& dry);

}  // namespace strata::cli
