// SPDX-License-Identifier: Apache-2.0
// Which ranks the others wait for.
//
// Ranks that average their gradients take equally long for a step: who is early waits. So what is compared is
// the time of a step without waiting (waits.hpp), with the lower median over the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

struct SlowPhase {
  std::string name;  // empty: what of a step is in no phase
  std::int64_t total_ns = 0;
};

struct Straggler {
  std::size_t rank = 0;             // index into the job's
  std::vector<std::int64_t> steps;  // in which no rank is slower, and it is by more than the limit
  std::int64_t total_ns = 0;        // that it took more than the median rank, in those
  std::int64_t median_ns = 0;       // of a step of those
  std::vector<SlowPhase> phases;    // where, most first; in those steps
};

// A rank's share in a step, of all ranks that completed it.
struct StepComparison {
  std::int64_t index = 0;
  std::vector<std::int64_t> excess_ns;  // by the job's ranks, against the median; 0 where it has no such step
  std::size_t slowest = 0;
};

struct Stragglers {
  std::vector<Straggler> ranks;        // that lost most first
  std::vector<StepComparison> steps;   // those that two ranks or more completed
  std::vector<std::int64_t> waits_ns;  // by rank: the median of a step
};

// What counts as slower: by more than a tenth of the step of the median rank, and more than a millisecond.
inline constexpr double kSlowShare = 0.1;
inline constexpr std::int64_t kSlowNs = 1'000'000;

Stragglers find_stragglers(const std::vector<RankFacts>& ranks);

}  // namespace strata::analysis
