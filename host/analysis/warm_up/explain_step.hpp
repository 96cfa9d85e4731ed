// SPDX-License-Identifier: Apache-2.0
// Takes one slow step apart.
#pragma once

#include "host/analysis/facts/warm_up.hpp"
#include "host/analysis/warm_up/operator_times.hpp"
#include "host/analysis/warm_up/step_parts.hpp"

namespace strata::analysis {

struct Recording;

struct Comparison {
  const Recording& run;
  const OperatorTimes& operators;
  const UsualStep& usual;
};

// What the step took more than a usual one, by cause. Time is given out once: what was timed itself comes
// first, then what operators' first calls took more, then what was counted, and what is left of a phase goes
// to what that phase is known to do once. No phase gives more than it took more, and the step neither.
SlowStep explain_step(const StepParts& step, const Comparison& comparison);

}  // namespace strata::analysis
