// SPDX-License-Identifier: Apache-2.0
// The processes of a command that recorded data: a job's ranks and their children.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata::cli {

// Data about the command that `strata exec` adds to the manifests.
struct CommandEnd {
  std::string line;              // in shell syntax; empty: unknown
  std::string dry;               // the account of a dry run, a JSON object; empty: none
  std::optional<int> exit_code;  // 128 + the signal if a signal ended it
};

struct RecordedProcess {
  std::uint32_t rank = 0, pid = 0;
  std::uint64_t steps = 0;
  std::filesystem::path store;
  std::string lost;      // data lost for lack of space; empty: none
  bool is_main = false;  // the training process of its rank: most steps, then largest store
};

// Call after all of them have ended. Recovers the stores of killed processes, removes empty ones (of a
// launcher, a data loader), and makes the manifest of each rank's main process that of the rank, with `end`
// in it. By rank and pid. Throws std::runtime_error.
std::vector<RecordedProcess> settle_processes(const std::filesystem::path& run_directory,
                                              const CommandEnd& end);

}  // namespace strata::cli
