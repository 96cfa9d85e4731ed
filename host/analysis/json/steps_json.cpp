// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {
namespace {

nlohmann::ordered_json step_json(const MemoryFacts& facts, const StepFact& step, const Scope& scope) {
  nlohmann::ordered_json json;
  json["index"] = step.index;
  json["duration_ns"] = nullptr;
  if (step.complete) json["duration_ns"] = step.duration_ns();
  json["peak_allocated_bytes"] = step.peak_allocated_bytes;
  json["peak_reserved_bytes"] = step.peak_reserved_bytes;
  json["epoch"] = nullptr;
  if (step.epoch >= 0) json["epoch"] = step.epoch;
  const auto add_peak = [&](const char* key, Measure measure) {
    json[key] = nullptr;
    if (scope[measure]) json[key] = scope[measure]->peak_bytes;
  };
  add_peak("peak_requested_bytes", Measure::kRequested);
  add_peak("peak_device_used_bytes", Measure::kDeviceUsed);
  add_peak("peak_resident_bytes", Measure::kResident);
  json["peak_phase"] = step.peak_phase == 0 ? "" : facts.phases.at(step.peak_phase - 1).name;
  json["peak_categories"] = nullptr;
  json["peak_change"] = nullptr;
  if (!step.thinned) {
    json["peak_categories"] = to_json(step.peak_categories);
    json["peak_change"] = change_json(step.begin_categories, step.peak_categories);
  }
  json["thinned"] = step.thinned;
  return json;
}

}  // namespace

nlohmann::ordered_json steps_json(const MemoryFacts& facts, const std::vector<Scope>& scopes) {
  auto steps = nlohmann::ordered_json::array();
  // The scopes of steps come last, in order.
  auto scope = scopes.end() - static_cast<std::ptrdiff_t>(facts.steps.size());
  for (const StepFact& step : facts.steps) steps.push_back(step_json(facts, step, *scope++));
  return steps;
}

std::string steps_document(const MemoryFacts& facts) {
  nlohmann::ordered_json document;
  document["schema"] = "strata.steps/1";
  document["steps"] = steps_json(facts, scopes_of(facts));
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis
