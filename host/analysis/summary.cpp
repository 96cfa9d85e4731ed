// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/summary.hpp"

#include <fmt/format.h>
#include <cmath>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/json/or_null.hpp"
#include "host/analysis/json/scopes_json.hpp"
#include "host/analysis/json/summary_parts.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "host/analysis/steps/pace.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

// For a list that may be as long as the model is deep.
constexpr std::size_t kListedShares = 20;

Json thinned_json(const Facts& facts) {
  Json list = Json::array();
  for (const ThinnedSteps& interval : facts.thinned.intervals)
    list.push_back(
        {{"first_step", interval.first_step}, {"last_step", interval.last_step}, {"steps", interval.steps}});
  return list;
}

// Scopes of steps are listed with the steps.
Json scope_list(const Facts& facts, const std::vector<Scope>& scopes) {
  Json list = Json::array();
  for (const Scope& scope : scopes) {
    if (scope.kind != ScopeKind::kStep) list.push_back(to_json(scope, facts));
  }
  return list;
}

Json snapshot_json(const Facts& facts) {
  if (!facts.snapshot) return nullptr;
  const SnapshotFact& snapshot = *facts.snapshot;
  return {{"file", snapshot.file},
          {"entries", snapshot.entries},
          {"devices", snapshot.devices},
          {"blocks_at_begin", snapshot.held_blocks},
          {"allocated_bytes_at_begin", snapshot.held_bytes},
          {"has_times", snapshot.has_times},
          {"has_stacks", snapshot.has_stacks},
          {"has_categories", snapshot.has_categories},
          {"was_stopped", snapshot.was_stopped}};
}

Json peak_json(const Peak& peak) {
  return {{"allocated_bytes", peak.allocated_bytes},
          {"reserved_bytes", peak.reserved_bytes},
          {"step", peak.step >= 0 ? Json(peak.step) : Json(nullptr)},
          {"phase", peak.phase},
          {"categories", to_json(peak.categories)}};
}

Json text_or_null(const Facts& facts, std::uint32_t text) {
  return text == 0 ? Json(nullptr) : Json(facts.texts[text]);
}

Json shares_json(const std::vector<PeakShare>& shares) {
  Json list = Json::array();
  for (const PeakShare& share : std::span(shares).first(std::min(shares.size(), kListedShares)))
    list.push_back({{"label", share.label}, {"bytes", share.bytes}, {"blocks", share.blocks}});
  return list;
}

Json block_json(const Facts& facts, const Block& block) {
  return {{"bytes", block.bytes},
          {"category", to_string(block.category)},
          {"kind", to_string(block.kind)},
          {"owner", text_or_null(facts, block.name)},
          {"op", text_or_null(facts, block.op)},
          {"layer", text_or_null(facts, block.layer)}};
}

Json failure_json(const Facts& facts, const OutOfMemory& failure, FindingText text_of) {
  Json blocks = Json::array();
  const auto& largest = failure.held.largest_blocks;
  for (const std::uint32_t block : std::span(largest).first(std::min(largest.size(), kListedShares)))
    blocks.push_back(block_json(facts, facts.blocks[block]));
  Json json = {
      {"requested_bytes", failure.requested_bytes},
      {"device_free_bytes", failure.device_free_bytes ? Json(*failure.device_free_bytes) : Json(nullptr)},
      {"largest_gap_bytes", has_segments(facts.reserved) ? Json(failure.largest_gap_bytes) : Json(nullptr)},
      {"op", text_or_null(facts, failure.op)},
      {"layer", text_or_null(facts, failure.layer)}};
  json.update(peak_json(failure.held));
  json["by_layer"] = shares_json(failure.held.by_layer);
  json["by_kind"] = shares_json(failure.held.by_kind);
  json["largest_blocks"] = std::move(blocks);
  json["findings"] = findings_json(failure.findings, text_of);
  return json;
}

Json other_memory_json(const Facts& facts) {
  Json list = Json::array();
  for (const OtherMemory& other : facts.other_memory)
    list.push_back({{"device", other.device},
                    {"peak_allocated_bytes", other.peak_allocated_bytes},
                    {"peak_reserved_bytes", or_null(other.peak_reserved_bytes)},
                    {"blocks", other.blocks},
                    {"peak_offloaded_bytes", other.peak_offloaded_bytes}});
  return list;
}

Json place_json(const PlaceShare& share) {
  return {{"stream", fmt::format("{:#x}", share.place.stream)},
          {"pool", fmt::format("{:#x}", share.place.pool)},
          {"allocated_bytes", share.allocated_bytes},
          {"blocks", share.blocks},
          {"reserved_bytes", share.reserved_bytes ? Json(*share.reserved_bytes) : Json(nullptr)}};
}

Json places_json(const Facts& facts) {
  Json list = Json::array();
  for (const PlaceShare& share : std::span(facts.places).first(std::min(facts.places.size(), kListedShares)))
    list.push_back(place_json(share));
  return list;
}

Json failures_json(const Facts& facts, FindingText text_of) {
  Json list = Json::array();
  for (const OutOfMemory& failure : facts.out_of_memory)
    list.push_back(failure_json(facts, failure, text_of));
  return list;
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

// The speed of a dry device means nothing.
Json throughput_json(const Facts& facts) {
  const bool measured = !facts.dry && facts.pace.tokens_per_second;
  return {{"unit", facts.unit},
          {"per_second", measured ? Json(*facts.pace.tokens_per_second) : Json(nullptr)}};
}

// A dry device computes none. Steps that were cut short have none.
Json shapes_json(const Facts& facts) {
  Json list = Json::array();
  for (const Shape& shape : find_shapes(facts))
    list.push_back({{"kind", name_of(shape.kind).id},
                    {"step", shape.step < 0 ? Json(nullptr) : Json(shape.step)},
                    {"steps", shape.count},
                    {"bytes", shape.bytes},
                    {"layer", shape.layer}});
  return list;
}

Json loss_json(const Facts& facts) {
  Json loss = {{"first", nullptr}, {"last", nullptr}};
  for (const StepFact& step : facts.steps) {
    if (facts.dry || !std::isfinite(step.loss)) continue;
    if (loss["first"].is_null()) loss["first"] = step.loss;
    loss["last"] = step.loss;
  }
  return loss;
}

Json disagreements_json(const Facts& facts) {
  Json list = Json::array();
  for (const Disagreement& disagreement : facts.truth->disagreements) {
    Json entry = Json::object();
    entry["truth"] = {{"category", to_string(disagreement.truth_category)},
                      {"kind", to_string(disagreement.truth_kind)}};
    entry["lifetimes"] = {{"category", to_string(disagreement.rule_category)},
                          {"kind", to_string(disagreement.rule_kind)}};
    entry["op"] = facts.texts.at(disagreement.op);
    entry["blocks"] = disagreement.size.blocks;
    entry["bytes"] = disagreement.size.bytes;
    entry["first_layer"] = facts.texts.at(facts.blocks.at(disagreement.first_block).layer);
    list.push_back(std::move(entry));
  }
  return list;
}

Json checks_json(const Facts& facts) {
  Json checks;
  checks["cross_check"] = nullptr;
  checks["saved_tensors"] = nullptr;
  checks["device_stats"] = nullptr;
  if (facts.stats_check) {
    Json& check = checks["device_stats"] = Json::object();
    check["values"] = facts.stats_check->values;
    check["mismatches"] = facts.stats_check->mismatches;
  }
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
    check["disagreements"] = disagreements_json(facts);
  }
  return checks;
}

}  // namespace

std::string summary_json(const Facts& facts, FindingText text_of, const std::vector<std::string>& warnings) {
  const std::vector<Scope> scopes = scopes_of(facts);
  Json peak = peak_json(facts.peak);
  peak.update(peak_context_json(facts));
  Json plugins = Json::array();
  for (const PluginFact& plugin : facts.plugins) {
    plugins.push_back({{"id", plugin.id}, {"status", plugin.status}, {"reason", plugin.reason}});
  }
  const auto modelled = modelled_step_ns(facts);
  const Json summary = {
      {"schema", kSummarySchema},
      {"measured", !facts.dry.has_value()},
      {"dry", facts.dry ? to_json(*facts.dry) : Json(nullptr)},
      {"snapshot", snapshot_json(facts)},
      {"window", {{"first_step", facts.first_step}, {"last_step", facts.last_step}}},
      {"device", facts.device},
      {"steps", steps_json(facts, scopes)},
      {"throughput", throughput_json(facts)},
      {"modelled_step_ns", modelled ? Json(*modelled) : Json(nullptr)},
      {"steady_state", steady_state_json(facts.steady_state)},
      {"peak", peak},
      {"categories", categories_json(facts)},
      {"out_of_memory", failures_json(facts, text_of)},
      {"other_memory", other_memory_json(facts)},
      {"plugins", plugins},
      {"checks", checks_json(facts)},
      {"places", places_json(facts)},
      {"scopes", scope_list(facts, scopes)},
      {"reconciliation", to_json(reconcile_peak(facts), facts)},
      {"time", time_summary(facts)},
      {"layer_outputs", facts.layer_estimate ? to_json(*facts.layer_estimate) : Json(nullptr)},
      {"shapes", shapes_json(facts)},
      {"loss", loss_json(facts)},
      {"thinned", thinned_json(facts)},
      {"step_detail",
       {{"recorded", facts.step_detail.recorded},
        {"named", facts.step_detail.named},
        {"without", facts.step_detail.without}}},
      {"warnings", warnings},
  };
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis
