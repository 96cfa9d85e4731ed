// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/most_reserved.hpp"

namespace strata::analysis {

std::optional<MostReserved> most_reserved_in_window(const Facts& facts) {
  std::optional<MostReserved> most;
  for (const StepFact& step : facts.steps) {
    if (step.index < facts.first_step || step.index > facts.last_step) continue;
    if (!most || step.peak_reserved_bytes > most->bytes)
      most = MostReserved{step.peak_reserved_bytes, step.index};
  }
  return most;
}

}  // namespace strata::analysis
