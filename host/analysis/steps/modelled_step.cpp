// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/modelled_step.hpp"

#include <cstdint>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {

std::optional<double> modelled_step_ns(const MemoryFacts& facts) {
  if (!facts.dry || !facts.dry->modelled_clock || facts.steps.empty()) return std::nullopt;
  std::uint64_t ns = 0;
  for (const ModelledWork& work : *facts.dry->modelled_clock) ns += work.ns;
  return static_cast<double>(ns) / static_cast<double>(facts.steps.size());
}

}  // namespace strata::analysis
