// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace strata::grid {
namespace {

std::vector<std::string> labels_along(const Plan& plan, const std::string& axis) {
  std::vector<std::string> labels;
  for (const Cell& cell : plan.cells) {
    const std::string label = cell.label(axis);
    if (!label.empty() && std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

bool has_several(const Plan& plan, const std::string& axis) {
  return labels_along(plan, axis).size() > 1;
}

// "precision=bf16 accumulation=2"
std::string further_text(const Cell& cell, const std::vector<std::string>& axes) {
  std::string text;
  for (const std::string& axis : axes) {
    if (const std::string label = cell.label(axis); !label.empty())
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, label);
  }
  return text;
}

HeatField field_of(const Plan& plan, const std::vector<CellState>& states, const HeatMap& map,
                   const std::vector<std::string>& further, const std::string& column, const std::string& row,
                   Measure measure) {
  std::vector<Entry> values;
  HeatField field;
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    if (plan.cells[index].label(map.across) != column || plan.cells[index].label(map.down) != row) continue;
    if (!further.empty() && further_text(plan.cells[index], further) != map.further) continue;
    const CellState& state = states[index];
    if (state.status == Status::kOk && state.result)
      values.push_back(number_entry(state.result->measures[measure]));
    else
      field.status = name_of(state.status);
  }
  if (!values.empty()) field.value = entry_over(values);
  if (field.value.number) field.status.clear();
  return field;
}

}  // namespace

HeatMaps heat_maps(const Plan& plan, const std::vector<CellState>& states, const std::string& across,
                   const std::string& down, Measure measure) {
  HeatMaps all;
  std::vector<std::string> further;
  for (const std::string& axis : plan.axes) {
    if (axis == across || axis == down || axis == kIncludeAxis || !has_several(plan, axis)) continue;
    (axis == kSeedAxis ? all.folded : further).push_back(axis);
  }
  std::vector<std::string> texts;
  for (const Cell& cell : plan.cells) {
    if (cell.label(across).empty() || cell.label(down).empty()) continue;
    const std::string text = further_text(cell, further);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  if (texts.size() > kMostHeatMaps) {
    all.folded.insert(all.folded.begin(), further.begin(), further.end());
    further.clear();
    texts = {""};
  }
  for (const std::string& text : texts) {
    HeatMap& map = all.maps.emplace_back();
    map.across = across;
    map.down = down;
    map.further = text;
    map.columns = labels_along(plan, across);
    map.rows = labels_along(plan, down);
    for (const std::string& row : map.rows) {
      map.fields.emplace_back();
      for (const std::string& column : map.columns)
        map.fields.back().push_back(field_of(plan, states, map, further, column, row, measure));
    }
  }
  return all;
}

std::optional<std::pair<std::string, std::string>> widest_axes(const Plan& plan) {
  std::vector<std::pair<std::size_t, std::string>> axes;
  for (const std::string& axis : plan.axes) {
    const std::size_t count = labels_along(plan, axis).size();
    if (count > 1 && axis != kSeedAxis && axis != kIncludeAxis) axes.emplace_back(count, axis);
  }
  std::ranges::stable_sort(axes, std::greater(), &std::pair<std::size_t, std::string>::first);
  if (axes.size() < 2) return std::nullopt;
  return std::pair(axes[0].second, axes[1].second);
}

}  // namespace strata::grid
