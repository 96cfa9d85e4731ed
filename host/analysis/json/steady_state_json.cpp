// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/analysis/facts/steady_state.hpp"
#include "host/analysis/warm_up/steady_state.hpp"

namespace strata::analysis {
namespace {

using nlohmann::ordered_json;

template <typename Value>
ordered_json or_none(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
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

}  // namespace strata::analysis
