// SPDX-License-Identifier: Apache-2.0
// Explains the extra time of one slow step.
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

// The step's extra time compared with a usual one, by cause. Time is assigned once, in this order: times
// measured directly, extra time of operators' first calls, counts, and the rest of a phase to its known
// one-time work. No phase, and not the step either, is assigned more than its extra time.
SlowStep explain_step(const StepParts& step, const Comparison& comparison);

}  // namespace strata::analysis
