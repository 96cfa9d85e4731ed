// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/pace.hpp"

#include <cstdint>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/median.hpp"

namespace strata::analysis {

Pace window_pace(const std::vector<StepFact>& steps, std::int64_t first_step, std::int64_t last_step) {
  std::vector<double> durations_ns;
  double total_ns = 0.0;
  std::uint64_t tokens = 0;
  for (const StepFact& step : steps) {
    if (!step.complete || step.index < first_step || step.index > last_step) continue;
    durations_ns.push_back(static_cast<double>(step.duration_ns()));
    total_ns += durations_ns.back();
    tokens += step.tokens;
  }
  Pace pace;
  pace.complete_steps = durations_ns.size();
  if (durations_ns.empty()) return pace;
  pace.median_step_ns = median(std::move(durations_ns));
  if (tokens > 0 && total_ns > 0.0) pace.tokens_per_second = static_cast<double>(tokens) / total_ns * 1e9;
  return pace;
}

std::optional<double> modelled_step_ns(const MemoryFacts& facts) {
  if (!facts.dry || !facts.dry->modelled_clock || facts.steps.empty()) return std::nullopt;
  std::uint64_t ns = 0;
  for (const ModelledWork& work : *facts.dry->modelled_clock) ns += work.ns;
  return static_cast<double>(ns) / static_cast<double>(facts.steps.size());
}

}  // namespace strata::analysis
