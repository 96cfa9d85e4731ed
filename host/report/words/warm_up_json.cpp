// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/warm_up_json.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/json/summary_parts.hpp"
#include "host/analysis/warm_up/causes.hpp"
#include "host/report/words/warm_up_words.hpp"

namespace strata::report {
namespace {

using analysis::CauseDescription;
using analysis::CauseShare;
using analysis::SlowStep;
using analysis::WarmUp;
using nlohmann::ordered_json;

ordered_json cause_json(const CauseShare& share) {
  const CauseDescription& described = describe(share.cause);
  return {{"cause", described.id},
          {"ns", share.ns},
          {"certainty", to_string(described.certainty)},
          {"count", share.count},
          {"proof", proof_text(share.proofs)}};
}

ordered_json causes_json(const std::vector<CauseShare>& shares) {
  ordered_json list = ordered_json::array();
  for (const CauseShare& share : shares) list.push_back(cause_json(share));
  return list;
}

ordered_json slow_step_json(const SlowStep& step) {
  ordered_json phases = ordered_json::array();
  for (const analysis::PhaseExcess& phase : step.phases)
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

ordered_json before_json(const analysis::BeforeSteps& before) {
  return {{"ns", before.ns},
          {"causes", causes_json(before.causes)},
          {"libraries", before.libraries},
          {"page_faults", before.page_faults}};
}

// Lists every cause, to distinguish causes that were not looked for from absent ones.
ordered_json looked_for(const WarmUp& warm_up) {
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < analysis::kCauses; ++index) {
    const auto cause = static_cast<analysis::Cause>(index);
    const CauseDescription& described = describe(cause);
    bool is_looked_for = warm_up.is_recorded;
    for (const analysis::Detector missing : warm_up.not_recorded)
      is_looked_for = is_looked_for && missing != described.detector;
    list.push_back({{"cause", described.id},
                    {"title", cause_title(cause)},
                    {"certainty", to_string(described.certainty)},
                    {"detector", to_string(described.detector)},
                    {"looked_for", is_looked_for}});
  }
  return list;
}

}  // namespace

std::string warm_up_document(const analysis::Facts& facts) {
  const WarmUp& warm_up = facts.warm_up;
  const ordered_json document = {{"schema", "strata.warm-up/1"},
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

}  // namespace strata::report
