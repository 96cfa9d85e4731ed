// SPDX-License-Identifier: Apache-2.0
// The processes of a training over several ranks of this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"

namespace strata::cli {

// The place that torchrun gave this process, by its variables. Nothing with one rank, or where nobody started
// this process as a rank. Throws UsageError when the variables are of another world than the configuration's.
std::optional<trainer::RankPlace> place_from_torchrun(const config::RunConfig& config);

// A name of this start of the ranks, the same in all of them and unlike any other's.
std::string torchrun_start();

// Runs `body` as each rank, in a process of its own that ends with what it returns, and waits for them.
// Signals to this process reach them all. When one fails, the others are asked to end, and killed when they
// have not after `grace`. Returns the exit code of the first that failed, else 0. What `body` throws is said
// on standard error. This process must have no other thread.
int run_rank_processes(std::uint32_t world_size, const std::function<int(const trainer::RankPlace&)>& body,
                       std::chrono::milliseconds grace = std::chrono::seconds(15));

}  // namespace strata::cli
