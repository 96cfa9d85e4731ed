// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/config/nearest.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/schema.hpp"
#include "host/grid/file/axis.hpp"
#include "host/grid/processes/durable_file.hpp"

namespace strata::grid {
namespace {

constexpr std::array<std::string_view, 7> kOwnColumns{"id",     "status",    "device", "parameters",
                                                      "reason", "exit_code", "attempt"};

struct CellView {
  const GridFolder& folder;
  const Cell& cell;
  const CellState& state;
};

ColumnKind kind_of(Unit unit) {
  switch (unit) {
    case Unit::kBytes:
      return ColumnKind::kBytes;
    case Unit::kNanoseconds:
      return ColumnKind::kNanoseconds;
    case Unit::kNone:
      return ColumnKind::kNumber;
    case Unit::kPerSecond:
      break;
  }
  return ColumnKind::kPerSecond;
}

Entry own_entry(const CellView& view, std::string_view name) {
  if (name == "id") return text_entry(view.cell.id);
  if (name == "status") return text_entry(std::string(name_of(view.state.status)));
  if (name == "device") return text_entry(view.cell.device);
  if (name == "reason") return text_entry(view.state.reason);
  if (name == "attempt") return number_entry(static_cast<double>(view.state.attempt));
  if (name == "exit_code")
    return number_entry(view.state.exit_code ? std::optional(static_cast<double>(*view.state.exit_code))
                                             : std::nullopt);
  return number_entry(view.cell.parameters ? std::optional(static_cast<double>(*view.cell.parameters))
                                           : std::nullopt);
}

std::string config_value(const CellView& view, const std::string& key) {
  YAML::Node node = YAML::Load(read_if_there(view.folder.config(view.cell.id)));
  const auto dot = key.find('.');
  if (dot != std::string::npos) {
    node.reset(node[key.substr(0, dot)]);
    if (!node.IsDefined() || !node.IsMap()) return {};
  }
  const YAML::Node value = node[dot == std::string::npos ? key : key.substr(dot + 1)];
  return value.IsDefined() ? label_of(value) : std::string();
}

nlohmann::json summary_of(const CellView& view) {
  if (view.state.attempt == 0) return nullptr;
  const std::string text = read_if_there(view.folder.run(view.cell.id, view.state.attempt) / "summary.json");
  return nlohmann::json::parse(text, nullptr, false);
}

std::optional<nlohmann::json> value_at(const nlohmann::json& document, std::string_view path) {
  const nlohmann::json* place = &document;
  while (!path.empty()) {
    const auto dot = path.find('.');
    const std::string name(path.substr(0, dot));
    if (!place->is_object() || !place->contains(name)) return std::nullopt;
    place = &(*place)[name];
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return *place;
}

class Columns {
 public:
  Columns(const Plan& plan, std::vector<CellView> cells) : plan_(plan), cells_(std::move(cells)) {}

  void add(const std::string& name, Table& table) {
    if (std::ranges::find(kOwnColumns, name) != kOwnColumns.end()) {
      const bool is_number = name == "parameters" || name == "exit_code" || name == "attempt";
      return fill(table, {name, is_number ? ColumnKind::kNumber : ColumnKind::kText},
                  [&](const CellView& view) { return own_entry(view, name); });
    }
    if (std::ranges::find(plan_.axes, name) != plan_.axes.end())
      return fill(table, {name, ColumnKind::kText},
                  [&](const CellView& view) { return text_entry(view.cell.label(name)); });
    if (const MeasureName* const measure = find_measure(name)) {
      return fill(table, {name, kind_of(measure->unit)}, [&](const CellView& view) {
        return number_entry(view.state.result ? view.state.result->measures[measure->measure] : std::nullopt);
      });
    }
    if (config::find_key(name) != nullptr)
      return fill(table, {name, ColumnKind::kText},
                  [&](const CellView& view) { return text_entry(config_value(view, name)); });
    add_of_summary(name, table);
  }

 private:
  void fill(Table& table, Column column, const std::function<Entry(const CellView&)>& entry_of) {
    table.columns.push_back(std::move(column));
    for (std::size_t row = 0; row < cells_.size(); ++row) table.rows[row].push_back(entry_of(cells_[row]));
  }

  void add_of_summary(const std::string& path, Table& table) {
    std::vector<std::optional<nlohmann::json>> values;
    bool found = false, numbers = true;
    for (const CellView& view : cells_) {
      values.push_back(value_at(summary_of(view), path));
      if (values.back() && values.back()->is_structured()) values.back().reset();
      found = found || values.back();
      numbers = numbers && (!values.back() || values.back()->is_number() || values.back()->is_null());
    }
    if (!found) throw ColumnError(unknown(path));
    ColumnKind kind = numbers ? ColumnKind::kNumber : ColumnKind::kText;
    if (numbers && (path.ends_with("_bytes") || path.find("categories.") != std::string::npos))
      kind = ColumnKind::kBytes;
    if (numbers && path.ends_with("_ns")) kind = ColumnKind::kNanoseconds;
    std::size_t row = 0;
    fill(table, {path, kind}, [&](const CellView&) {
      const auto& value = values[row++];
      if (!value || value->is_null()) return Entry{};
      if (numbers) return number_entry(value->get<double>());
      return text_entry(value->is_string() ? value->get<std::string>() : value->dump());
    });
  }

  std::string unknown(const std::string& name) const {
    std::vector<std::string_view> known(kOwnColumns.begin(), kOwnColumns.end());
    for (const std::string& axis : plan_.axes) known.push_back(axis);
    for (const MeasureName& measure : kMeasureNames) known.push_back(measure.name);
    const std::string near = config::did_you_mean(name, known);
    return fmt::format(
        "no cell has a column '{}'{}; possible columns are {}, keys of a run such as optimizer.lr, and paths "
        "into summary.json such as peak.categories.Activation",
        name, near, fmt::join(known, ", "));
  }

  const Plan& plan_;
  std::vector<CellView> cells_;
};

}  // namespace

std::vector<std::string> usual_columns(const Plan& plan, const std::vector<CellState>& states) {
  std::vector<std::string> names{"id"};
  names.insert(names.end(), plan.axes.begin(), plan.axes.end());
  names.emplace_back("status");
  if (std::ranges::any_of(plan.cells, [](const Cell& cell) { return cell.parameters.has_value(); }))
    names.emplace_back("parameters");
  for (const Measure measure : {Measure::kPeakAllocated, Measure::kPeakReserved, Measure::kStepTime,
                                Measure::kModelledStepTime, Measure::kThroughput}) {
    const bool known = std::ranges::any_of(states, [&](const CellState& state) {
      // How long the host of a dry device takes compares nothing.
      const bool compares = measure != Measure::kStepTime || (state.result && state.result->measured);
      return compares && state.result && state.result->measures[measure].has_value();
    });
    if (known) names.emplace_back(name_of(measure));
  }
  const bool has_reasons =
      std::ranges::any_of(states, [](const CellState& state) { return !state.reason.empty(); });
  if (has_reasons) names.emplace_back("reason");
  return names;
}

Table results_table(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                    const std::vector<std::string>& columns) {
  std::vector<CellView> cells;
  for (std::size_t index = 0; index < plan.cells.size(); ++index)
    cells.push_back({folder, plan.cells[index], states[index]});
  Table table{.columns = {}, .rows = std::vector<std::vector<Entry>>(cells.size())};
  Columns source(plan, std::move(cells));
  for (const std::string& name : columns) source.add(name, table);
  return table;
}

}  // namespace strata::grid
