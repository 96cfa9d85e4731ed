// SPDX-License-Identifier: Apache-2.0
// Hand-made ranks: steps of data 1 ms, forward 3 ms, backward 4 ms and optimizer 2 ms; backward ends when the
// last rank reaches it, as with averaged gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::analysis::testing {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kMiB = 1 << 20;

struct JobShape {
  std::size_t ranks = 4;
  std::int64_t steps = 5;
  // The extra time of a rank's phase in a step: "forward", "backward"...
  std::function<std::int64_t(std::size_t rank, std::int64_t step, const char* phase)> planted_ns = {};
};

// All on one machine, on its CPU. Each rank's peak is 100 MiB: 40 of parameters, 60 saved in "blocks.0".
std::vector<RankFacts> job_of_ranks(const JobShape& shape = {});

// Moves a rank to a machine whose clock started `boot_ns` later and whose wall clock is ahead by `wall_ns`.
void move_to_machine(RankFacts& rank, const char* hostname, std::int64_t boot_ns, std::int64_t wall_ns);

}  // namespace strata::analysis::testing
