// SPDX-License-Identifier: Apache-2.0
// What a picture of one rank's step draws as one bar each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::report {

// A phase, the end of one that is waiting, a wait between phases, or several phases that are too narrow to be
// told apart.
struct StepInterval {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t kind = analysis::kSyncPhase;  // STRATA_PHASE_*, of the longest one
  std::string name;                           // its; empty: between phases
  std::size_t phases = 0;
  bool waits = false;

  // "backward", "backward, waiting for others,", "40 phases, of which backward is longest,"
  std::string text() const;
};

// In the order of their begins, but for a wait between phases, which is first: phases lie over it. Phases of
// less than `narrow_ns` are taken together with those that follow, until they are as long.
std::vector<StepInterval> intervals_of(const analysis::RankFacts& rank, const analysis::RankStep& step,
                                       double narrow_ns);

}  // namespace strata::report
