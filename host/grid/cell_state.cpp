// SPDX-License-Identifier: Apache-2.0
#include "host/grid/cell_state.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

namespace strata::grid {
namespace {

using StateJson = nlohmann::ordered_json;

StateJson measures_json(const Measures& measures) {
  StateJson json = StateJson::object();
  for (const MeasureName& each : kMeasureNames) {
    const auto& value = measures[each.measure];
    // Bytes and times are whole; they stay so in the text.
    if (!value)
      json[std::string(each.name)] = nullptr;
    else if (each.unit == Unit::kPerSecond || each.unit == Unit::kNone)
      json[std::string(each.name)] = *value;
    else
      json[std::string(each.name)] = static_cast<std::int64_t>(*value);
  }
  return json;
}

StateJson out_of_memory_json(const OutOfMemory& failure) {
  return {{"requested_bytes", failure.requested_bytes},
          {"allocated_bytes", failure.allocated_bytes},
          {"op", failure.op},
          {"layer", failure.layer},
          {"phase", failure.phase},
          {"step", failure.step},
          {"rank", failure.rank},
          {"filled_by", failure.filled_by}};
}

// Empty if it is not a number, or one that no run can have and that would not be written unchanged.
std::optional<double> measure_of(const StateJson& json) {
  if (!json.is_number() || std::abs(json.get<double>()) >= 0x1p63) return std::nullopt;
  return json.get<double>();
}

RunResult result_of(const StateJson& json) {
  RunResult result;
  result.measured = json.value("measured", true);
  const StateJson measures = json.value("measures", StateJson::object());
  for (const MeasureName& each : kMeasureNames) {
    const auto found = measures.find(std::string(each.name));
    if (found != measures.end()) result.measures[each.measure] = measure_of(*found);
  }
  const auto failure = json.find("out_of_memory");
  if (failure != json.end() && failure->is_object()) {
    result.out_of_memory = OutOfMemory{.requested_bytes = failure->value("requested_bytes", std::uint64_t{0}),
                                       .allocated_bytes = failure->value("allocated_bytes", std::uint64_t{0}),
                                       .op = failure->value("op", std::string()),
                                       .layer = failure->value("layer", std::string()),
                                       .phase = failure->value("phase", std::string()),
                                       .step = failure->value("step", std::int64_t{-1}),
                                       .rank = failure->value("rank", std::int64_t{-1}),
                                       .filled_by = failure->value("filled_by", std::string())};
  }
  return result;
}

std::optional<int> code_at(const StateJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int>();
}

}  // namespace

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kPlanned:
      return "planned";
    case Status::kRunning:
      return "running";
    case Status::kOk:
      return "ok";
    case Status::kOutOfMemory:
      return "oom";
    case Status::kFailed:
      return "failed";
    case Status::kTimeout:
      return "timeout";
    case Status::kSkipped:
      return "skipped";
    case Status::kLost:
      return "lost";
  }
  return "planned";
}

std::optional<Status> status_named(std::string_view name) {
  for (const Status status : kStatuses) {
    if (name_of(status) == name) return status;
  }
  return std::nullopt;
}

void CellState::plan_again() {
  status = Status::kPlanned;
  exit_code.reset();
  signal.reset();
  reason.clear();
  dominated_by.clear();
  result.reset();
}

std::string state_text(const std::string& id, const CellState& state) {
  StateJson json = {{"schema", "strata.cell/1"},
                    {"id", id},
                    {"status", name_of(state.status)},
                    {"attempt", state.attempt},
                    {"pid", state.pid},
                    {"host", state.host},
                    {"job", state.job},
                    {"gpus", state.gpus},
                    {"began", state.began},
                    {"ended", state.ended},
                    {"exit_code", state.exit_code ? StateJson(*state.exit_code) : StateJson()},
                    {"signal", state.signal ? StateJson(*state.signal) : StateJson()},
                    {"reason", state.reason},
                    {"dominated_by", state.dominated_by}};
  if (state.result) {
    json["measured"] = state.result->measured;
    json["measures"] = measures_json(state.result->measures);
    json["out_of_memory"] =
        state.result->out_of_memory ? out_of_memory_json(*state.result->out_of_memory) : StateJson();
  }
  return json.dump(2, ' ', false, StateJson::error_handler_t::replace) + '\n';
}

std::optional<CellState> parse_state(std::string_view text) try {
  const StateJson json = StateJson::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto status = status_named(json.value("status", std::string()));
  if (!status) return std::nullopt;
  CellState state{.status = *status,
                  .attempt = json.value("attempt", std::int64_t{0}),
                  .pid = json.value("pid", std::int64_t{0}),
                  .host = json.value("host", std::string()),
                  .job = json.value("job", std::string()),
                  .gpus = json.value("gpus", std::string()),
                  .began = json.value("began", std::string()),
                  .ended = json.value("ended", std::string()),
                  .exit_code = code_at(json, "exit_code"),
                  .signal = code_at(json, "signal"),
                  .reason = json.value("reason", std::string()),
                  .dominated_by = json.value("dominated_by", std::string()),
                  .result = {}};
  if (json.contains("measures")) state.result = result_of(json);
  return state;
} catch (const StateJson::exception&) {
  return std::nullopt;  // a value of another type
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace strata::grid
