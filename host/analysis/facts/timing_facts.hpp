// SPDX-License-Identifier: Apache-2.0
// How long the steps of a run took, and why.
#pragma once

#include <optional>

#include "host/analysis/facts/steady_state.hpp"
#include "host/analysis/facts/step.hpp"
#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/facts/warm_up.hpp"

namespace strata::analysis {

struct TimingFacts {
  Pace pace;                      // of the window
  SteadyState steady_state;       // of all completed steps
  WarmUp warm_up;                 // for a run with the plugin warmup_analyzer
  std::optional<TimeFacts> time;  // for a run with the plugin cupti_timeline
};

}  // namespace strata::analysis
