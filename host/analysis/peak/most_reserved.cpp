// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/most_reserved.hpp"

namespace strata::analysis {

MostReserved most_reserved_in_window(const Facts& facts) {
  MostReserved most{facts.peak.reserved_bytes, facts.peak.step};
  for (const StepFact& step : facts.steps) {
    if (step.index < facts.first_step || step.index > facts.last_step) continue;
    if (step.peak_reserved_bytes > most.bytes) most = {step.peak_reserved_bytes, step.index};
  }
  return most;
}

}  // namespace strata::analysis
