// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/scopes_json.hpp"

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/json/or_null.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json step_or_null(std::int64_t step) {
  return step >= 0 ? Json(step) : Json(nullptr);
}

Json levels_json(const std::optional<ScopeLevels>& levels, const Facts& facts) {
  if (!levels) return nullptr;
  Json json;
  json["begin_bytes"] = levels->begin_bytes;
  json["end_bytes"] = levels->end_bytes;
  json["peak_bytes"] = levels->peak_bytes;
  json["peak_ns"] = levels->peak_ns ? Json(*levels->peak_ns - facts.begin_ns) : Json(nullptr);
  return json;
}

Json by_category(const CategoryBytes& bytes) {
  Json json = Json::object();
  for (std::size_t category = 0; category < kCategories; ++category)
    json[to_string(static_cast<Category>(category))] = bytes.at(category);
  return json;
}

}  // namespace

Json to_json(const Scope& scope, const Facts& facts) {
  Json json;
  json["kind"] = to_string(scope.kind);
  json["index"] = scope.index;
  json["label"] = scope.label;
  json["first_step"] = step_or_null(scope.first_step);
  json["last_step"] = step_or_null(scope.last_step);
  json["begin_ns"] = scope.begin_ns - facts.begin_ns;
  json["end_ns"] = scope.end_ns - facts.begin_ns;
  for (std::size_t measure = 0; measure < kMeasures; ++measure)
    json[to_string(static_cast<Measure>(measure))] = levels_json(scope.of.at(measure), facts);
  return json;
}

Json to_json(const Reconciliation& moment, const Facts& facts) {
  Json json;
  json["ns"] = moment.ns - facts.begin_ns;
  json["step"] = step_or_null(moment.step);
  json["phase"] = moment.phase;
  json["device_total_bytes"] = or_null(moment.device_total_bytes);
  json["device_used_bytes"] = or_null(moment.device_used_bytes);
  json["outside_bytes"] = moment.device_used_bytes ? Json(moment.outside_bytes) : Json(nullptr);
  json["reserved_bytes"] = moment.reserved_bytes;
  json["unused_bytes"] = moment.unused_bytes;
  json["deferred_bytes"] = moment.deferred_bytes;
  json["allocated_bytes"] = moment.allocated_bytes;
  json["rounding_bytes"] = moment.rounding_bytes;
  json["requested_bytes"] = moment.requested_bytes;
  json["allocated_by_category"] = by_category(moment.allocated_by);
  json["requested_by_category"] = by_category(moment.requested_by);
  json["resident_bytes"] = or_null(moment.resident_bytes);
  return json;
}

Json to_json(const LayerEstimate& estimate) {
  Json parts = Json::array();
  for (const PeakShare& share : estimate.by_op) {
    Json part;
    part["op"] = share.label;
    part["calls"] = share.blocks;
    part["bytes"] = share.bytes;
    parts.push_back(std::move(part));
  }
  Json json;
  json["step"] = step_or_null(estimate.step);
  json["estimated_bytes"] = estimate.bytes;
  json["activation_bytes"] = estimate.activation_bytes;
  json["saved_bytes"] = estimate.saved_bytes;
  json["by_op"] = std::move(parts);
  return json;
}

std::string scopes_json(const Facts& facts, const std::vector<Scope>& scopes) {
  Json list = Json::array();
  for (const Scope& scope : scopes) list.push_back(to_json(scope, facts));
  Json json;
  json["schema"] = kScopesSchema;
  json["measured"] = !facts.dry.has_value();
  json["device"] = facts.device;
  json["scopes"] = std::move(list);
  json["reconciliation"] = to_json(reconcile_peak(facts), facts);
  json["layer_outputs"] = facts.layer_estimate ? to_json(*facts.layer_estimate) : Json(nullptr);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis
