#include "host/analysis/summary.hpp"

#include <nlohmann/json.hpp>

#include "host/analysis/dry_json.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json step_json(const StepFact& step) {
  return {{"index", step.index},
          {"duration_ns", step.complete ? Json(step.end_ns - step.begin_ns) : Json(nullptr)},
          {"peak_allocated_bytes", step.peak_allocated_bytes},
          {"peak_reserved_bytes", step.peak_reserved_bytes}};
}

Json peak_json(const Peak& peak) {
  Json categories = Json::object();
  for (std::size_t category = 0; category < kCategories; ++category) {
    categories[to_string(static_cast<Category>(category))] = peak.categories[category];
  }
  return {{"allocated_bytes", peak.allocated_bytes},
          {"reserved_bytes", peak.reserved_bytes},
          {"step", peak.step >= 0 ? Json(peak.step) : Json(nullptr)},
          {"phase", peak.phase},
          {"categories", categories}};
}

Json categories_json(const Facts& facts) {
  Json categories = Json::object();
  for (std::size_t category = 0; category < kCategories; ++category) {
    const CategoryStatistics& statistics = facts.statistics[category];
    categories[to_string(static_cast<Category>(category))] = {{"mean", statistics.mean_over_events},
                                                              {"min", statistics.min},
                                                              {"median", statistics.median},
                                                              {"max", statistics.max}};
  }
  return categories;
}

// A dry device's speed is nobody's.
Json throughput_json(const Facts& facts) {
  const bool measured = !facts.dry && facts.pace.tokens_per_second;
  return {{"unit", facts.unit},
          {"per_second", measured ? Json(*facts.pace.tokens_per_second) : Json(nullptr)}};
}

Json checks_json(const Facts& facts) {
  Json checks;
  checks["cross_check"] = nullptr;
  checks["saved_tensors"] = nullptr;
  if (facts.cross_check) {
    Json& check = checks["cross_check"] = Json::object();
    check["events"] = facts.cross_check->events;
    check["events_compared"] = facts.cross_check->events_compared;
    check["reports_without_event"] = facts.cross_check->reports_without_event;
    check["mismatches"] = facts.cross_check->mismatches;
  }
  if (facts.truth) {
    const ConfusionCell different = facts.truth->labelled_differently();
    Json& check = checks["saved_tensors"] = Json::object();
    check["saved_blocks"] = facts.truth->saved_blocks;
    check["blocks_compared"] = facts.truth->compared_blocks;
    check["blocks_labelled_differently"] = different.blocks;
    check["bytes_labelled_differently"] = different.bytes;
  }
  return checks;
}

}  // namespace

std::string summary_json(const Facts& facts) {
  Json steps = Json::array();
  for (const StepFact& step : facts.steps) steps.push_back(step_json(step));
  Json plugins = Json::array();
  for (const PluginFact& plugin : facts.plugins) {
    plugins.push_back({{"id", plugin.id}, {"status", plugin.status}, {"reason", plugin.reason}});
  }
  const Json summary = {
      {"schema", kSummarySchema},
      {"measured", !facts.dry.has_value()},
      {"dry", facts.dry ? to_json(*facts.dry) : Json(nullptr)},
      {"window", {{"first_step", facts.first_step}, {"last_step", facts.last_step}}},
      {"device", facts.device},
      {"steps", steps},
      {"throughput", throughput_json(facts)},
      {"peak", peak_json(facts.peak)},
      {"categories", categories_json(facts)},
      {"plugins", plugins},
      {"checks", checks_json(facts)},
  };
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis
