// SPDX-License-Identifier: Apache-2.0
// The processes of a command that recorded something: a job's ranks, and what they started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata::cli {

// What `strata exec` learnt of the command, for the manifests.
struct CommandEnd {
  std::string line;              // as a shell reads it; empty: not known
  std::string dry;               // the account of a dry run, a JSON object; or empty
  std::optional<int> exit_code;  // 128 + its number where a signal ended it
};

struct RecordedProcess {
  std::uint32_t rank = 0, pid = 0;
  std::uint64_t steps = 0;
  std::filesystem::path store;
  std::string lost;      // what it could not keep, for want of space; empty: nothing
  bool is_main = false;  // the one of its rank that trained: the most steps, of equals the largest store
};

// After all of them have ended: makes what killed ones left whole, removes what is empty (a launcher's, a
// data loader's), and makes the manifest of each rank's main process that rank's, with `end` in it. By rank
// and pid. Throws std::runtime_error.
std::vector<RecordedProcess> settle_processes(const std::filesystem::path& run_directory,
                                              const CommandEnd& end);

}  // namespace strata::cli
