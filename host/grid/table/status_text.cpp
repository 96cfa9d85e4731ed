// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/status_text.hpp"

#include <nlohmann/json.hpp>

#include "host/grid/tally.hpp"

namespace strata::grid {
namespace {

using StatusJson = nlohmann::ordered_json;

StatusJson cell_json(const Cell& cell, const CellState& state, const Queue& queue) {
  StatusJson settings = StatusJson::object();
  for (const Setting& each : cell.settings) settings[each.axis] = each.label;
  StatusJson json = {{"id", cell.id},
                     {"status", name_of(state.status)},
                     {"settings", std::move(settings)},
                     {"device", cell.device},
                     {"attempt", state.attempt},
                     {"began", state.began},
                     {"ended", state.ended},
                     {"exit_code", state.exit_code ? StatusJson(*state.exit_code) : StatusJson()},
                     {"reason", state.reason}};
  json["measured"] = state.result ? StatusJson(state.result->measured) : StatusJson();
  json["measures"] = StatusJson::object();
  for (const MeasureName& each : kMeasureNames) {
    const std::optional<double> value = state.result ? state.result->measures[each.measure] : std::nullopt;
    const bool whole = each.unit != Unit::kPerSecond && each.unit != Unit::kNone;
    json["measures"][std::string(each.name)] = !value  ? StatusJson()
                                               : whole ? StatusJson(static_cast<std::int64_t>(*value))
                                                       : StatusJson(*value);
  }
  json["host"] = state.host;
  json["job"] = state.job;
  json["gpus"] = state.gpus;
  const auto task = queue.by_cell.find(cell.id);
  json["queue"] = task == queue.by_cell.end() ? StatusJson() : StatusJson(task->second.state);
  if (state.status == Status::kSkipped) json["dominated_by"] = state.dominated_by;
  return json;
}

}  // namespace

std::string status_json(const Plan& plan, const std::vector<CellState>& states, const Queue& queue) {
  StatusJson json = {{"schema", "strata.grid-status/1"}, {"name", plan.name}};
  const Tally tally = tally_of(states);
  json["counts"] = StatusJson::object();
  for (const Status status : kStatuses) json["counts"][std::string(name_of(status))] = tally.count(status);
  json["cells"] = StatusJson::array();
  for (std::size_t index = 0; index < plan.cells.size(); ++index)
    json["cells"].push_back(cell_json(plan.cells[index], states[index], queue));
  return json.dump(2, ' ', false, StatusJson::error_handler_t::replace) + '\n';
}

}  // namespace strata::grid
