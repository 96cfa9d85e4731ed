// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/live/live_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/analysis/json/or_null.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// Objects are filled key by key: nested initializer lists of this library take minutes to compile.
Json categories_json(const LiveCategories& categories) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kCategories; ++i) {
    Json& category = json[to_string(static_cast<Category>(i))];
    category["bytes"] = categories.owned[i] + categories.provisional[i];
    category["provisional_bytes"] = categories.provisional[i];
  }
  return json;
}

Json device_json(const LiveDevice& device) {
  Json json;
  json["device"] = device.name;
  json["allocated_bytes"] = device.allocated_bytes;
  json["peak_allocated_bytes"] = device.peak_allocated_bytes;
  json["peak_step"] = device.peak_step < 0 ? Json(nullptr) : Json(device.peak_step);
  json["peak_phase"] = text_or_null(device.peak_phase);
  json["reserved_bytes"] = or_null(device.reserved_bytes);
  json["peak_reserved_bytes"] = device.reserved_bytes ? Json(device.peak_reserved_bytes) : Json(nullptr);
  json["used_bytes"] = or_null(device.used_bytes);
  json["capacity_bytes"] = or_null(device.capacity_bytes);
  json["failed_allocations"] = device.failures;
  json["categories"] = categories_json(device.categories);
  return json;
}

void add_steps(const LiveRank& rank, Json& json) {
  json["step"] = or_null(rank.step);
  json["step_open"] = rank.step_open;
  json["steps_ended"] = rank.steps_ended;
  json["window"]["first_step"] = rank.first_step;
  json["window"]["last_step"] = rank.last_step;
  json["phase"] = text_or_null(rank.phase);
  json["step_ns"] = or_null(rank.last_step_ns);
  json["recent_steps"] = rank.pace ? rank.pace->steps : 0;
  json["median_step_ns"] = rank.pace ? Json(rank.pace->median_ns) : Json(nullptr);
  json["unit"] = rank.unit;
  json["per_second"] = rank.pace ? or_null(rank.pace->counted_per_second) : Json(nullptr);
  json["loss"] = or_null(rank.loss);
  json["loss_step"] = rank.loss ? Json(rank.loss_step) : Json(nullptr);
}

Json rank_json(const LiveRank& rank) {
  Json json;
  json["rank"] = rank.rank;
  json["pid"] = rank.pid;
  json["state"] = to_string(rank.state);
  json["end"] = rank.end ? nlohmann::json(to_string(*rank.end)) : nlohmann::json();
  json["problem"] = text_or_null(rank.problem);
  json["dry"] = text_or_null(rank.dry);
  json["caught_up"] = rank.caught_up;
  json["elapsed_ns"] = std::llround(rank.elapsed_ns);
  add_steps(rank, json);
  json["resident_bytes"] = rank.resident_bytes;
  json["peak_resident_bytes"] = rank.peak_resident_bytes;
  json["dropped_rows"] = rank.dropped_rows;
  json["thinned_steps"] = rank.thinned_steps;
  json["devices"] = Json::array();
  for (const LiveDevice& device : rank.devices) json["devices"].push_back(device_json(device));
  return json;
}

}  // namespace

std::string live_document(std::string_view run_directory, const std::vector<LiveRank>& ranks) {
  Json document;
  document["schema"] = "strata.top/1";
  document["run"] = run_directory;
  document["name"] = ranks.empty() ? Json(nullptr) : text_or_null(ranks.front().name);
  document["ranks"] = Json::array();
  for (const LiveRank& rank : ranks) document["ranks"].push_back(rank_json(rank));
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace strata::analysis
