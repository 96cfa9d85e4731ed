// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/pair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/config/reading/setting_differences.hpp"
#include "host/grid/table/results.hpp"

namespace strata::grid {
namespace {

std::size_t index_of(const Plan& plan, const std::string& id) {
  const auto cell = std::ranges::find(plan.cells, id, &Cell::id);
  if (cell == plan.cells.end()) throw ColumnError(fmt::format("no cell has the id {}", id));
  return static_cast<std::size_t>(cell - plan.cells.begin());
}

ColumnKind unit_kind(Unit unit) {
  return unit == Unit::kBytes         ? ColumnKind::kBytes
         : unit == Unit::kNanoseconds ? ColumnKind::kNanoseconds
         : unit == Unit::kPerSecond   ? ColumnKind::kPerSecond
                                      : ColumnKind::kNumber;
}

std::string change_text(const std::optional<double>& from, const std::optional<double>& to) {
  if (!from || !to || *from == 0.0) return "";
  return fmt::format("{:+.1f}%", 100.0 * (*to - *from) / *from);
}

}  // namespace

Table pair_table(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                 const std::string& first, const std::string& second) {
  const std::size_t a = index_of(plan, first), b = index_of(plan, second);
  Table table{.columns = {{"what", ColumnKind::kText},
                          {first, ColumnKind::kText},
                          {second, ColumnKind::kText},
                          {"change", ColumnKind::kText}},
              .rows = {}};
  const auto add = [&](const std::string& what, const std::string& left, const std::string& right,
                       const std::string& change) {
    table.rows.push_back({text_entry(what), text_entry(left), text_entry(right), text_entry(change)});
  };
  for (const auto& each : config::setting_differences(folder.config(first), folder.config(second))) {
    if (each.key != "name") add(each.key, each.base, each.other, "");
  }
  add("status", std::string(name_of(states[a].status)), std::string(name_of(states[b].status)), "");
  for (const MeasureName& each : kMeasureNames) {
    const auto value = [&](std::size_t index) {
      return states[index].result ? states[index].result->measures[each.measure] : std::nullopt;
    };
    const auto left = value(a), right = value(b);
    if (!left && !right) continue;
    const ColumnKind kind = unit_kind(each.unit);
    add(heading({std::string(each.name), kind}), shown(number_entry(left), kind),
        shown(number_entry(right), kind), change_text(left, right));
  }
  return table;
}

}  // namespace strata::grid
