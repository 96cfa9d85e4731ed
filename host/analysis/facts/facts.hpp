// SPDX-License-Identifier: Apache-2.0
// All facts of a run: the plain data from which reports, exports and diffs are made. Sizes are in bytes,
// times in CLOCK_MONOTONIC nanoseconds; steps count from 0. A function that needs only one part takes only
// that part.
#pragma once

#include <optional>
#include <string>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/facts/checks.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/facts/steady_state.hpp"
#include "host/analysis/facts/step.hpp"
#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/facts/warm_up.hpp"

namespace strata::analysis {

// How long the steps of a run took, and why.
struct TimingFacts {
  Pace pace;                      // of the window
  SteadyState steady_state;       // of all completed steps
  WarmUp warm_up;                 // for a run with the plugin warmup_analyzer
  std::optional<TimeFacts> time;  // for a run with the plugin cupti_timeline
};

struct Facts : MemoryFacts, TimingFacts, CheckFacts {
  std::string directory;
  CallStacks call_stacks;  // of blocks by birth_sequence, of failures by theirs
};

}  // namespace strata::analysis
