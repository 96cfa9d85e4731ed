// SPDX-License-Identifier: Apache-2.0
// A program as some ranks of a job whose other ranks are absent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace strata::cli {

struct DryArguments;

struct JobArguments {
  std::uint32_t world_size = 0;  // 0: not a job
  std::string ranks;             // numbers with commas; "representative"; empty: 0
};

inline constexpr std::uint32_t kMostInWorld = 1U << 20U;
inline constexpr const char* kRanksHelp =
    "The ranks of --world to run, comma-separated; representative: rank 0 and those with which it exchanges "
    "tensors directly, such as pipeline stages [0]";

// The chosen ranks, by number; only 0 for "representative". Throws UsageError.
std::vector<std::uint32_t> ranks_of(const JobArguments& job);

// `dry` with the devices of a node if it has no number of its own: eight, or as many as the job has ranks.
DryArguments devices_of_node(DryArguments dry, const JobArguments& job);

// Runs `program` as each of these ranks, with the environment of a worker of torchrun: as many at once as
// this machine has cores, and others that these need. `ranks_on_node`: the number of its devices. Returns
// the exit code of the first that failed, else 0. This process must have no other thread.
int run_job(const JobArguments& job, std::uint32_t ranks_on_node,
            const std::function<int(const std::map<std::string, std::string>& variables)>& program);

}  // namespace strata::cli
