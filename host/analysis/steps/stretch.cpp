// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/stretch.hpp"

#include <algorithm>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

Stretch stretch_of(const Facts& facts, std::int64_t step) {
  const auto found = std::ranges::lower_bound(facts.steps, step, {}, &StepFact::index);
  if (step < 0 || found == facts.steps.end() || found->index != step)
    return {-1, facts.window_begin_sequence, facts.window_end_sequence, facts.window_begin_ns,
            facts.window_end_ns};
  return {step, found->begin_sequence, found->end_sequence, found->begin_ns,
          std::min(found->end_ns, facts.end_ns)};
}

}  // namespace strata::analysis
