// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/window.hpp"

#include <algorithm>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

Window active_window(const Recording& run, std::vector<Warning>& warnings) {
  const auto active = [&](const StepRow& step) {
    const auto index = static_cast<std::uint64_t>(step.step);
    return step.step >= 0 && index >= run.first_step && index <= run.last_step;
  };
  const auto first = std::find_if(run.steps.begin(), run.steps.end(), active);
  if (first == run.steps.end()) {
    // A snapshot has no steps, as its reports say: its window is its history.
    if (!run.snapshot) warnings.emplace_back(UnreachedWindow{});
    Window whole{.begin_sequence = run.snapshot ? run.snapshot->begin_sequence : 0,
                 .begin_ns = run.begin_ns,
                 .end_ns = run.end_ns};
    if (!run.steps.empty()) {
      whole.first_step = run.steps.front().step;
      whole.last_step = run.steps.back().step;
    }
    return whole;
  }
  const auto last = std::find_if(run.steps.rbegin(), run.steps.rend(), active);
  return {first->step,
          last->step,
          first->begin_sequence,
          last->end_sequence,
          first->begin_ns,
          last->end_ns == INT64_MAX ? std::max(run.end_ns, first->begin_ns) : last->end_ns};
}

}  // namespace strata::analysis
