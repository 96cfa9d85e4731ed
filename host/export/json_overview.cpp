// SPDX-License-Identifier: Apache-2.0
#include "host/export/json_overview.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/json/or_null.hpp"
#include "host/analysis/json/scopes_json.hpp"
#include "host/analysis/json/summary_parts.hpp"
#include "host/export/json.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::exports {
namespace {

using analysis::Category;
using analysis::CategoryStatistics;
using analysis::Facts;
using analysis::or_null;
using Json = nlohmann::ordered_json;

// Objects are filled key by key: nested initializer lists of this library take minutes to compile.
Json run_json(const Facts& facts) {
  Json json;
  json["name"] = facts.name;
  json["directory"] = facts.directory;
  json["device"] = facts.device;
  json["end"] = to_string(facts.end);
  json["begin_monotonic_ns"] = facts.begin_ns;
  json["duration_ns"] = facts.end_ns - facts.begin_ns;
  return json;
}

Json window_json(const Facts& facts) {
  Json json;
  json["first_step"] = facts.first_step;
  json["last_step"] = facts.last_step;
  json["begin_ns"] = facts.window_begin_ns - facts.begin_ns;
  json["end_ns"] = facts.window_end_ns - facts.begin_ns;
  json["complete_steps"] = facts.pace.complete_steps;
  json["median_step_ns"] = or_null(facts.pace.median_step_ns);
  json["tokens_per_second"] = or_null(facts.pace.tokens_per_second);
  return json;
}

Json statistics_json(const char* name, const CategoryStatistics& statistics, std::uint64_t at_peak_bytes) {
  Json json;
  json["name"] = name;
  json["mean_over_events_bytes"] = statistics.mean_over_events;
  json["mean_over_time_bytes"] = statistics.mean_over_time;
  json["min_bytes"] = statistics.min;
  json["median_bytes"] = statistics.median;
  json["max_bytes"] = statistics.max;
  json["at_peak_bytes"] = at_peak_bytes;
  return json;
}

Json categories_json(const Facts& facts) {
  Json list = Json::array();
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    list.push_back(statistics_json(to_string(static_cast<Category>(category)), facts.statistics[category],
                                   facts.peak.categories[category]));
  }
  return list;
}

Json shares_json(const std::vector<analysis::PeakShare>& shares) {
  Json list = Json::array();
  for (const analysis::PeakShare& share : shares) {
    Json json;
    json["label"] = share.label;
    json["bytes"] = share.bytes;
    json["blocks"] = share.blocks;
    list.push_back(std::move(json));
  }
  return list;
}

Json peak_json(const Facts& facts) {
  const analysis::Peak& peak = facts.peak;
  Json json;
  json["allocated_bytes"] = peak.allocated_bytes;
  json["reserved_bytes"] = peak.reserved_bytes;
  json["sequence"] = peak.sequence;
  json["ns"] = facts.points.empty() ? 0 : peak.ns - facts.begin_ns;
  json["step"] = peak.step >= 0 ? Json(peak.step) : Json(nullptr);
  json["phase"] = peak.phase;
  json["by_kind"] = shares_json(peak.by_kind);
  json["by_module"] = shares_json(peak.by_layer);
  json["by_op"] = shares_json(peak.by_op);
  json["largest_blocks"] = peak.largest_blocks;
  return json;
}

Json cross_check_json(const analysis::CrossCheck& check) {
  Json json;
  json["holds"] = check.holds();
  json["events"] = check.events;
  json["events_compared"] = check.events_compared;
  json["reports_without_event"] = check.reports_without_event;
  json["mismatches"] = check.mismatches;
  Json first(nullptr);
  if (check.first_mismatch) {
    first = Json::object();
    first["sequence"] = check.first_mismatch->sequence;
    first["allocated_bytes"] = check.first_mismatch->allocated_bytes;
    first["reported_bytes"] = check.first_mismatch->reported_bytes;
  }
  json["first_mismatch"] = std::move(first);
  return json;
}

Json truth_json(const analysis::Confusion& truth) {
  Json json;
  json["holds"] = truth.holds();
  json["saved_blocks"] = truth.saved_blocks;
  json["compared_blocks"] = truth.compared_blocks;
  Json list = Json::array();
  for (const analysis::Disagreement& difference : truth.disagreements) {
    Json entry;
    entry["saved_category"] = to_string(difference.truth_category);
    entry["saved_kind"] = to_string(difference.truth_kind);
    entry["rule_category"] = to_string(difference.rule_category);
    entry["rule_kind"] = to_string(difference.rule_kind);
    entry["blocks"] = difference.size.blocks;
    entry["bytes"] = difference.size.bytes;
    entry["first_block"] = difference.first_block;
    list.push_back(std::move(entry));
  }
  json["disagreements"] = std::move(list);
  return json;
}

Json stats_json(const analysis::StatsCheck& check) {
  Json json;
  json["holds"] = check.holds();
  json["values"] = check.values;
  json["mismatches"] = check.mismatches;
  return json;
}

Json plugins_json(const Facts& facts) {
  Json list = Json::array();
  for (const analysis::PluginFact& plugin : facts.plugins) {
    Json json;
    json["id"] = plugin.id;
    json["status"] = plugin.status;
    json["reason"] = plugin.reason;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json overview(const Facts& facts) {
  Json json;
  json["schema"] = kRunSchema;
  json["units"]["bytes"] = "bytes; of a caching allocator, those of whole blocks";
  json["units"]["ns"] =
      "nanoseconds since the run's begin, which begin_monotonic_ns places on CLOCK_MONOTONIC";
  json["units"]["sequence"] = "the run's own order of events over all threads";
  json["run"] = run_json(facts);
  json["measured"] = !facts.dry.has_value();
  json["dry"] = facts.dry ? to_json(*facts.dry) : Json(nullptr);
  json["window"] = window_json(facts);
  json["categories"] = categories_json(facts);
  json["allocated"] = statistics_json("Allocated", facts.total, facts.peak.allocated_bytes);
  json["peak"] = peak_json(facts);
  json["checks"]["cross_check"] = facts.cross_check ? cross_check_json(*facts.cross_check) : Json(nullptr);
  json["checks"]["device_stats"] = facts.stats_check ? stats_json(*facts.stats_check) : Json(nullptr);
  json["checks"]["saved_tensors"] = facts.truth ? truth_json(*facts.truth) : Json(nullptr);
  json["scopes"] = Json::array();
  for (const analysis::Scope& scope : scopes_of(facts)) {
    const bool has_a_row = scope.kind == analysis::ScopeKind::kStep;
    if (!has_a_row) json["scopes"].push_back(to_json(scope, facts));
  }
  json["reconciliation"] = to_json(reconcile_peak(facts), facts);
  json["layer_outputs"] = facts.layer_estimate ? to_json(*facts.layer_estimate) : Json(nullptr);
  json["plugins"] = plugins_json(facts);
  json["warnings"] = report::warning_texts(facts.warnings);
  return json;
}

}  // namespace strata::exports
