// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/diff/run_diff.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/analysis/facts/facts.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

bool has_layers(const Facts& facts) {
  return std::ranges::any_of(facts.blocks, [&](const Block& block) {
    return block.kind == BlockKind::kSaved && !facts.texts[block.layer].empty();
  });
}

RunDiff::Side side_of(const Facts& facts) {
  return {facts.directory,  facts.name,        facts.dry ? facts.dry->name : facts.device,
          facts.peak.phase, facts.peak.step,   facts.dry.has_value(),
          facts.end,        has_layers(facts), higher_outside_window(facts),
          facts.warnings};
}

Json number(const std::optional<double>& value, MeasureUnit unit) {
  if (!value) return nullptr;
  if (unit == MeasureUnit::kBytes) return static_cast<std::int64_t>(*value);
  return *value;
}

Json diff_json(const RunDiff::Side& side) {
  return {{"directory", side.directory},
          {"name", side.name},
          {"device", side.device},
          {"peak_phase", side.peak_phase},
          {"peak_step", side.peak_step < 0 ? Json(nullptr) : Json(side.peak_step)},
          {"measured", !side.is_dry},
          {"end", to_string(side.end)}};
}

Json diff_json(const MeasureChange& measure) {
  Json json = {{"name", measure.name},
               {"unit", to_string(measure.unit)},
               {"base", number(measure.base, measure.unit)},
               {"new", number(measure.now, measure.unit)},
               {"change", number(measure.change(), measure.unit)},
               {"ratio", nullptr}};
  if (measure.base && measure.now && *measure.base != 0.0) json["ratio"] = *measure.now / *measure.base;
  return json;
}

Json diff_json(const BlockGroup& group) {
  return {{"category", to_string(group.category)},
          {"kind", to_string(group.kind)},
          {"layer", group.layer},
          {"maker", group.maker},
          {"bytes", group.bytes},
          {"base_blocks", group.base_blocks},
          {"new_blocks", group.now_blocks},
          {"base_bytes", group.base_bytes},
          {"new_bytes", group.now_bytes},
          {"change_bytes", group.change_bytes()}};
}

Json diff_json(const Gate::Result& result) {
  return {{"expression", result.expression},
          {"measure", result.measure.name},
          {"base", number(result.measure.base, result.measure.unit)},
          {"new", number(result.measure.now, result.measure.unit)},
          {"limit", result.limit},
          {"fails", result.fails}};
}

Json diff_json(const SettingChange& setting) {
  return {{"key", setting.key}, {"base", setting.base}, {"new", setting.now}};
}

template <typename Item>
Json list(const std::vector<Item>& items) {
  Json json = Json::array();
  for (const Item& item : items) json.push_back(diff_json(item));
  return json;
}

Json document_of(const RunDiff& diff, DiffWarnings warnings_of) {
  Json document;
  document["schema"] = kDiffSchema;
  document["base"] = diff_json(diff.base);
  document["new"] = diff_json(diff.now);
  document["settings"] = list(diff.settings);
  document["measures"] = list(diff.measures);
  document["allocations"] = list(diff.allocations);
  document["gates"] = list(diff.gates);
  document["fails"] = diff.fails();
  document["warnings"] = warnings_of(diff);
  return document;
}

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

bool RunDiff::fails() const {
  return std::ranges::any_of(gates, &Gate::Result::fails);
}

RunDiff diff_runs(const Facts& base, const Facts& now, std::vector<SettingChange> settings,
                  const std::vector<Gate>& gates) {
  RunDiff diff{.base = side_of(base),
               .now = side_of(now),
               .settings = std::move(settings),
               .measures = compare_measures(base, now),
               .allocations = changed_groups(base, now),
               .gates = {}};
  if (base.command != now.command && !base.command.empty() && !now.command.empty())
    diff.settings.insert(diff.settings.begin(), {"command", base.command, now.command});
  // What a dry card took says nothing about what a card takes.
  std::vector<MeasureChange> comparable = diff.measures;
  for (MeasureChange& measure : comparable) {
    if (diff.base.is_dry != diff.now.is_dry && measure.unit != MeasureUnit::kBytes)
      (diff.now.is_dry ? measure.now : measure.base).reset();
  }
  for (const Gate& gate : gates) {
    for (Gate::Result& result : gate.check(comparable)) diff.gates.push_back(std::move(result));
  }
  return diff;
}

std::string diff_document(const RunDiff& diff, DiffWarnings warnings_of) {
  return text_of(document_of(diff, warnings_of));
}

std::string diffs_document(const std::vector<RunDiff>& diffs, DiffWarnings warnings_of) {
  Json document;
  document["schema"] = kDiffsSchema;
  document["fails"] = std::ranges::any_of(diffs, &RunDiff::fails);
  document["diffs"] = Json::array();
  for (const RunDiff& diff : diffs) document["diffs"].push_back(document_of(diff, warnings_of));
  return text_of(document);
}

}  // namespace strata::analysis
