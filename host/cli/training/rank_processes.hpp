// SPDX-License-Identifier: Apache-2.0
// The processes of a multi-rank training on this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"

namespace strata::cli {

// The place that torchrun gave this process through its variables. Empty with one rank, or if this process
// was not started as a rank. Throws UsageError if the variables and the configuration have different world
// sizes.
std::optional<trainer::RankPlace> place_from_torchrun(const config::RunConfig& config);

// A name for this start of the ranks, equal in all of them and unique.
std::string torchrun_start();

// Runs `body` as each rank, in a separate process that exits with its result, and waits for them. Signals to
// this process are passed to all. If one fails, the others are asked to end, and killed after `grace`.
// Returns the exit code of the first that failed, else 0. Exceptions of `body` are printed on standard error.
// This process must have no other thread.
int run_rank_processes(std::uint32_t world_size, const std::function<int(const trainer::RankPlace&)>& body,
                       std::chrono::milliseconds grace = std::chrono::seconds(15));

// The same for some ranks, by number. `more` is called several times a second with the number of processes
// that run, and returns further ranks to start.
struct SomeRanks {
  std::uint32_t world_size = 1;
  std::vector<std::uint32_t> first;
  std::function<std::vector<std::uint32_t>(std::size_t running)> more;
};
int run_rank_processes(const SomeRanks& ranks, const std::function<int(const trainer::RankPlace&)>& body,
                       std::chrono::milliseconds grace = std::chrono::seconds(15));

}  // namespace strata::cli
