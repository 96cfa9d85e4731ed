// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/warm_up.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/warm_up/claimed_time.hpp"
#include "host/analysis/warm_up/driver_time.hpp"
#include "host/analysis/warm_up/explain_step.hpp"

namespace strata::analysis {
namespace {

constexpr std::size_t kExplainedSteps = 100, kExplainedAgain = 10;

// The steps for comparison: steady ones, or without a steady state all but the first.
std::vector<const StepParts*> reference(const std::vector<StepParts>& steps, const SteadyState& state) {
  std::vector<const StepParts*> chosen;
  for (const StepParts& step : steps) {
    if (state.first_step ? step.step >= *state.first_step : &step != &steps.front()) chosen.push_back(&step);
  }
  return chosen;
}

// The steps of the warm-up. If there is none, the first step, which users usually ask about.
std::vector<const StepParts*> slow_steps(const std::vector<StepParts>& steps, const SteadyState& state,
                                         double usual_ns) {
  std::vector<const StepParts*> slow;
  if (steps.empty()) return slow;
  if (state.course == Course::kWarmUp) {
    for (const StepParts& step : steps) {
      if (step.step < *state.first_step && slow.size() < kExplainedSteps) slow.push_back(&step);
    }
  } else if (steps.front().ns() > usual_ns && steps.size() > 1) {
    slow.push_back(&steps.front());
  }
  return slow;
}

std::vector<const StepParts*> slow_again(const std::vector<const StepParts*>& steady,
                                         const SteadyState& state) {
  std::vector<const StepParts*> slow;
  if (!state.first_step) return slow;
  std::ranges::copy_if(steady, std::back_inserter(slow),
                       [&](const StepParts* step) { return step->ns() > state.unusual_ns; });
  std::ranges::stable_sort(slow, std::ranges::greater{}, &StepParts::ns);
  slow.resize(std::min(slow.size(), kExplainedAgain));
  std::ranges::sort(slow, {}, &StepParts::step);
  return slow;
}

void sum_up(WarmUp& warm_up) {
  for (const SlowStep& step : warm_up.steps) {
    warm_up.excess_ns += std::max(0.0, step.excess_ns);
    warm_up.unattributed_ns += step.unattributed_ns;
    for (const CauseShare& share : step.causes) {
      const auto found = std::ranges::find(warm_up.causes, share.cause, &CauseShare::cause);
      if (found == warm_up.causes.end()) {
        warm_up.causes.push_back(share);
        continue;
      }
      found->ns += share.ns;
      found->count += share.count;
    }
  }
  std::ranges::stable_sort(warm_up.causes, std::ranges::greater{}, &CauseShare::ns);
}

BeforeSteps before_steps(const Recording& run, const std::vector<StepParts>& steps) {
  BeforeSteps before;
  if (steps.empty() || run.begin_ns == 0) return before;
  const std::int64_t end_ns = steps.front().begin_ns;
  before.ns = static_cast<double>(std::max<std::int64_t>(0, end_ns - run.begin_ns));
  ClaimedTime claimed;
  DriverTime time(run, claimed);
  time.add(run.begin_ns, end_ns, 0);
  before.causes = time.shares();
  const auto& samples = run.warm_up.samples;
  const auto last = std::ranges::upper_bound(samples, end_ns, {}, &CounterSample::ns);
  if (last == samples.begin()) return before;
  const Counters& from = samples.front().counters;
  const Counters& to = std::prev(last)->counters;
  before.libraries = static_cast<std::uint64_t>(std::max<std::int64_t>(0, to.libraries - from.libraries));
  before.page_faults =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, to.minor_faults - from.minor_faults));
  return before;
}

}  // namespace

WarmUp explain_warm_up(const std::vector<StepFact>& step_facts, const SteadyState& state,
                       const Recording& run) {
  WarmUp warm_up;
  warm_up.is_recorded = run.warm_up.is_recorded;
  const std::vector<StepParts> steps = divide_steps(step_facts, run);
  const std::vector<const StepParts*> steady = reference(steps, state);
  warm_up.reference_steps = steady.size();
  if (!warm_up.is_recorded || steady.empty()) return warm_up;

  std::unordered_set<std::int64_t> steady_steps;
  for (const StepParts* step : steady) steady_steps.insert(step->step);
  const OperatorTimes operators(run, steady_steps);
  const UsualStep usual = usual_step(steady);
  const Comparison comparison{run, operators, usual};
  for (const StepParts* step : slow_steps(steps, state, usual.ns))
    warm_up.steps.push_back(explain_step(*step, comparison));
  for (const StepParts* step : slow_again(steady, state))
    warm_up.again.push_back(explain_step(*step, comparison));
  sum_up(warm_up);
  warm_up.before = before_steps(run, steps);

  if (run.warm_up.activities.empty()) warm_up.not_recorded.push_back(Detector::kActivities);
  // If no step is slow, the first one was examined.
  const bool operators_known = warm_up.steps.empty()
                                   ? operators.knows(steps.front().step)
                                   : std::ranges::any_of(warm_up.steps, [&](const SlowStep& step) {
                                       return operators.knows(step.step);
                                     });
  if (!operators_known) warm_up.not_recorded.push_back(Detector::kOperators);
  return warm_up;
}

}  // namespace strata::analysis
