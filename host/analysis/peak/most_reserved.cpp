// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/most_reserved.hpp"

#include <algorithm>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {

MostReserved most_reserved_in_window(const MemoryFacts& facts) {
  MostReserved most{facts.peak.reserved_bytes, facts.peak.step};
  for (const StepFact& step : facts.steps) {
    if (step.index < facts.first_step || step.index > facts.last_step) continue;
    if (step.peak_reserved_bytes > most.bytes) most = {step.peak_reserved_bytes, step.index};
  }
  return most;
}

std::uint64_t most_reserved_bytes(const MemoryFacts& facts) {
  std::uint64_t most = most_reserved(facts.reserved, 0, UINT64_MAX);
  for (const StepFact& step : facts.steps) most = std::max(most, step.peak_reserved_bytes);
  return most;
}

}  // namespace strata::analysis
