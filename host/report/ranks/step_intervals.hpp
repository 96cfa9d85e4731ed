// SPDX-License-Identifier: Apache-2.0
// The bars in a picture of one rank's step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::report {

// A phase, its end if that is waiting, a wait between phases, or several phases too narrow to be
// distinguished.
struct StepInterval {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t kind = analysis::kSyncPhase;  // STRATA_PHASE_* of the longest one
  std::string name;                           // its name; empty: between phases
  std::size_t phases = 0;
  bool waits = false;

  // "backward", "backward, waiting for others,", "40 phases, of which backward is longest,"
  std::string text() const;
};

// In order of begin, except that waits between phases come first, because phases are drawn over them. Phases
// shorter than `narrow_ns` are merged with the following ones until they are that long.
std::vector<StepInterval> intervals_of(const analysis::RankFacts& rank, const analysis::RankStep& step,
                                       double narrow_ns);

}  // namespace strata::report
