// SPDX-License-Identifier: Apache-2.0
// The ranks that others wait for.
//
// Ranks that average their gradients have equally long steps, because the early ones wait. So the time of a
// step without waiting (waits.hpp) is compared with the lower median over the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

struct SlowPhase {
  std::string name;  // empty: the part of a step outside of phases
  std::int64_t total_ns = 0;
};

struct Straggler {
  std::size_t rank = 0;             // index into the job's
  std::vector<std::int64_t> steps;  // in which it is the slowest rank, by more than the limit
  std::int64_t total_ns = 0;        // extra time over the median rank in those steps
  std::int64_t median_ns = 0;       // duration of these steps
  std::vector<SlowPhase> phases;    // where, longest first; in those steps
};

// One step's times, for all ranks that completed it.
struct StepComparison {
  std::int64_t index = 0;
  std::vector<std::int64_t> excess_ns;  // by the job's ranks, relative to the median; 0 without such a step
  std::size_t slowest = 0;
};

struct Stragglers {
  std::vector<Straggler> ranks;        // largest loss first
  std::vector<StepComparison> steps;   // those completed by two or more ranks
  std::vector<std::int64_t> waits_ns;  // by rank: median per step
};

// The limit for slower: by more than a tenth of the median rank's step, and more than a millisecond.
inline constexpr double kSlowShare = 0.1;
inline constexpr std::int64_t kSlowNs = 1'000'000;

Stragglers find_stragglers(const std::vector<RankFacts>& ranks);

}  // namespace strata::analysis
