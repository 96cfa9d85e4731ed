// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/last_step.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

bool is_complete(const Recording& run, const StepRow& step) {
  if (step.end_ns == INT64_MAX) return false;
  const bool may_be_cut_short =
      run.end != RunEnd::kDone && step.step == run.steps.back().step && !step.is_followed;
  return !may_be_cut_short || !std::isnan(step.loss) || step.tokens > 0;
}

LastWork last_work(const Recording& run, const std::vector<Change>& changes) {
  if (run.steps.empty()) return {};
  const StepRow& last = run.steps.back();
  const bool is_marked = !std::isnan(last.loss) || last.tokens > 0;
  const bool goes_on = !changes.empty() && changes.back().sequence > last.end_sequence;
  if (is_marked || goes_on) return {};
  const PhaseRow* latest = nullptr;
  std::unordered_set<std::uint32_t> phases;  // ordinals
  for (const PhaseRow& phase : run.phases) {
    if (phase.step != last.step || phase.end_ns == INT64_MAX) continue;
    phases.insert(phase.ordinal);
    if (latest == nullptr || phase.end_sequence > latest->end_sequence) latest = &phase;
  }
  if (latest == nullptr || !latest->inferred) return {};
  LastWork work{.host_ns = std::max(latest->end_ns, last.begin_ns), .device_ns = 0};
  work.device_ns = work.host_ns;
  for (const ActivityRow& activity : run.time.activities)
    if (is_device_work(activity.kind) && phases.contains(activity.phase))
      work.device_ns = std::max(work.device_ns, activity.end_ns);
  return work;
}

}  // namespace strata::analysis
