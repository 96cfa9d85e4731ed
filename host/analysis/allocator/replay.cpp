// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/replay.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json failure_json(const ReplayFailure& failure) {
  return {{"sequence", failure.sequence},
          {"bytes", failure.bytes},
          {"device_free_bytes", failure.free_bytes},
          {"step", failure.place.step >= 0 ? Json(failure.place.step) : Json(nullptr)},
          {"phase", or_null(failure.place.phase)},
          {"op", or_null(failure.place.op)},
          {"layer", or_null(failure.place.layer)}};
}

Json comparison_json(const ReplayComparison& comparison) {
  Json json = {{"calls", comparison.compared}, {"different", comparison.different}, {"first", nullptr}};
  if (comparison.first) {
    const auto& first = *comparison.first;
    json["first"] = {{"sequence", first.sequence},
                     {"recorded_allocated_bytes", first.recorded_allocated_bytes},
                     {"recorded_reserved_bytes", first.recorded_reserved_bytes},
                     {"replayed_allocated_bytes", first.replayed_allocated_bytes},
                     {"replayed_reserved_bytes", first.replayed_reserved_bytes}};
  }
  return json;
}

Json row_json(const ReplayRow& row) {
  const ReplayNumbers& numbers = row.numbers;
  return {{"settings", row.settings},
          {"follows_changes", row.follows_changes},
          {"device",
           {{"profile", row.card.profile},
            {"name", row.card.name},
            {"memory_bytes", row.card.memory_bytes},
            {"recorded", row.card.is_recorded}}},
          {"fits", numbers.out_of_memory == 0},
          {"peak_allocated_bytes", numbers.peak_allocated_bytes},
          {"peak_reserved_bytes", numbers.peak_reserved_bytes},
          {"most_unused_bytes", numbers.most_unused_bytes},
          {"device_allocations", numbers.device_allocations},
          {"device_frees", numbers.device_frees},
          {"retries", numbers.retries},
          {"allocations", numbers.allocations},
          {"state",
           {{"sequence", row.state.sequence},
            {"allocated_bytes", row.state.allocated_bytes},
            {"reserved_bytes", row.state.reserved_bytes},
            {"inactive_split_bytes", row.state.inactive_split_bytes},
            {"largest_free_block_bytes", row.state.largest_free_bytes}}},
          {"out_of_memory", {{"count", numbers.out_of_memory}, {"bytes", numbers.out_of_memory_bytes}}},
          {"first_out_of_memory", row.failure ? failure_json(*row.failure) : Json(nullptr)},
          {"as_recorded", row.comparison ? comparison_json(*row.comparison) : Json(nullptr)}};
}

}  // namespace

std::string replay_json(const Replay& replay) {
  Json rows = Json::array();
  for (const ReplayRow& row : replay.rows) rows.push_back(row_json(row));
  Json changes = Json::array();
  for (const AllocatorSettingsChange& change : replay.settings_changes)
    changes.push_back({{"sequence", change.sequence}, {"settings", change.settings}});
  const Json json = {{"schema", kReplaySchema},
                     {"name", replay.name},
                     {"directory", replay.directory},
                     {"calls", replay.calls},
                     {"recorded",
                      {{"settings_known", replay.settings_are_known},
                       {"settings_changes", changes},
                       {"peak_allocated_bytes", replay.recorded_peak_allocated_bytes},
                       {"peak_reserved_bytes", replay.recorded_peak_reserved_bytes}}},
                     {"replays", rows},
                     {"warnings", replay.warnings}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

ReplayPlace place_of(const Recording& run, const AllocatorCall& call) {
  const MemoryRow& event = run.allocator_events[call.event];
  ReplayPlace place;
  for (const StepRow& step : run.steps) {
    if (step.begin_sequence <= event.sequence && event.sequence < step.end_sequence) place.step = step.step;
  }
  for (const PhaseRow& phase : run.phases) {
    if (phase.ordinal == event.phase) place.phase = run.texts[phase.name];
  }
  for (const ModuleRow& module : run.modules) {
    if (module.ordinal == event.module) place.layer = run.texts[module.path];
  }
  const OpTable ops(run);
  if (const auto op = ops.find(event.op)) place.op = run.texts[ops.maker(*op)];
  return place;
}

}  // namespace strata::analysis
