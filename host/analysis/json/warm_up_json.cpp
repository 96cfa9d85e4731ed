// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <nlohmann/json.hpp>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/warm_up/causes.hpp"
#include "host/analysis/warm_up/steady_state.hpp"

namespace strata::analysis {
namespace {

using nlohmann::ordered_json;

template <typename Value>
ordered_json or_none(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json cause_json(const CauseShare& share) {
  const CauseDescription& described = describe(share.cause);
  return {{"cause", described.id},
          {"ns", share.ns},
          {"certainty", to_string(described.certainty)},
          {"count", share.count},
          {"proof", share.proof}};
}

ordered_json causes_json(const std::vector<CauseShare>& shares) {
  ordered_json list = ordered_json::array();
  for (const CauseShare& share : shares) list.push_back(cause_json(share));
  return list;
}

ordered_json slow_step_json(const SlowStep& step) {
  ordered_json phases = ordered_json::array();
  for (const PhaseExcess& phase : step.phases)
    phases.push_back({{"name", phase.name}, {"ns", phase.ns}, {"excess_ns", phase.excess_ns}});
  return {{"step", step.step},
          {"ns", step.ns},
          {"excess_ns", step.excess_ns},
          {"causes", causes_json(step.causes)},
          {"unattributed_ns", step.unattributed_ns},
          {"phases", std::move(phases)}};
}

ordered_json slow_steps_json(const std::vector<SlowStep>& steps) {
  ordered_json list = ordered_json::array();
  for (const SlowStep& step : steps) list.push_back(slow_step_json(step));
  return list;
}

ordered_json before_json(const BeforeSteps& before) {
  return {{"ns", before.ns},
          {"causes", causes_json(before.causes)},
          {"libraries", before.libraries},
          {"page_faults", before.page_faults}};
}

// Lists every cause, to distinguish causes that were not looked for from absent ones.
ordered_json looked_for(const WarmUp& warm_up) {
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < kCauses; ++index) {
    const CauseDescription& described = describe(static_cast<Cause>(index));
    bool is_looked_for = warm_up.is_recorded;
    for (const Detector missing : warm_up.not_recorded)
      is_looked_for = is_looked_for && missing != described.detector;
    list.push_back({{"cause", described.id},
                    {"title", described.title},
                    {"certainty", to_string(described.certainty)},
                    {"detector", to_string(described.detector)},
                    {"looked_for", is_looked_for}});
  }
  return list;
}

}  // namespace

ordered_json steady_state_json(const SteadyState& state) {
  ordered_json interval = nullptr;
  if (state.first_step) interval = {state.median_low_ns, state.median_high_ns};
  ordered_json longest = nullptr;
  if (state.longest) longest = {{"step", state.longest->step}, {"ns", state.longest->ns}};
  ordered_json segments = ordered_json::array();
  for (const Segment& segment : state.segments)
    segments.push_back({{"first_step", segment.first_step},
                        {"last_step", segment.last_step},
                        {"median_ns", segment.median_ns}});
  return {{"course", to_string(state.course)},
          {"steps", state.steps},
          {"first_step", or_none(state.first_step)},
          {"warm_up_steps", state.warm_up_steps},
          {"excess_ns", state.excess_ns},
          {"median_ns", or_none(state.median_ns)},
          {"median_interval_ns", std::move(interval)},
          {"mean_all_ns", state.steps == 0 ? ordered_json(nullptr) : ordered_json(state.mean_all_ns)},
          {"mean_steady_ns", or_none(state.mean_steady_ns)},
          {"over_twice", state.first_step ? ordered_json(state.over_twice) : ordered_json(nullptr)},
          {"longest", std::move(longest)},
          {"first_over_median", or_none(state.first_over_median)},
          {"segments", std::move(segments)}};
}

std::string warm_up_document(const Facts& facts) {
  const WarmUp& warm_up = facts.warm_up;
  const ordered_json document = {{"schema", kWarmUpSchema},
                                 {"measured", !facts.dry.has_value()},
                                 {"recorded", warm_up.is_recorded},
                                 {"steady_state", steady_state_json(facts.steady_state)},
                                 {"reference_steps", warm_up.reference_steps},
                                 {"excess_ns", warm_up.excess_ns},
                                 {"causes", causes_json(warm_up.causes)},
                                 {"unattributed_ns", warm_up.unattributed_ns},
                                 {"steps", slow_steps_json(warm_up.steps)},
                                 {"again", slow_steps_json(warm_up.again)},
                                 {"before_steps", before_json(warm_up.before)},
                                 {"looked_for", looked_for(warm_up)}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis
