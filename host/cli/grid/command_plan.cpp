// SPDX-License-Identifier: Apache-2.0
// `strata grid plan`: the cells that a grid would run, and their memory.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/grid/input.hpp"
#include "host/cli/grid/subcommands.hpp"
#include "host/cli/terminal.hpp"
#include "host/grid/placement.hpp"
#include "host/grid/table/labels.hpp"
#include "host/grid/table/table.hpp"
#include "host/report/quantity.hpp"

namespace strata::cli {
namespace {

struct PlanArguments {
  GridInput source;
  std::string card = kPredictingCard;
  bool fast = false;
  bool json = false;
};

using grid::ColumnKind;

std::optional<double> as_number(const std::optional<std::uint64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

grid::Table plan_table(const grid::Plan& plan, const grid::Predictions& predictions, bool predicted) {
  grid::Table table{.columns = {{"id", ColumnKind::kText}}, .rows = {}};
  for (const std::string& axis : plan.axes) table.columns.push_back({axis, ColumnKind::kText});
  table.columns.push_back({"device", ColumnKind::kText});
  table.columns.push_back({"parameters", ColumnKind::kNumber});
  if (predicted) {
    table.columns.push_back({"predicted_peak", ColumnKind::kBytes});
    table.columns.push_back({"predicted_reserved", ColumnKind::kBytes});
    table.columns.push_back({"prediction", ColumnKind::kText});
  }
  for (const grid::Cell& cell : plan.cells) {
    std::vector<grid::Entry> row{grid::text_entry(cell.id)};
    for (const std::string& axis : plan.axes) row.push_back(grid::text_entry(cell.label(axis)));
    row.push_back(grid::text_entry(cell.device));
    row.push_back(grid::number_entry(as_number(cell.parameters)));
    if (predicted) {
      const grid::Prediction& prediction = predictions.by_shape.at(cell.shape_id);
      row.push_back(grid::number_entry(as_number(prediction.peak_allocated)));
      row.push_back(grid::number_entry(as_number(prediction.peak_reserved)));
      row.push_back(grid::text_entry(!prediction.problem.empty() ? prediction.problem
                                     : prediction.out_of_memory  ? "out of memory"
                                                                 : "ok"));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void print_text(const grid::Planned& planned, const grid::Table& table, const PlanArguments& arguments) {
  print(grid::terminal_table(table) + grid::labels_text(planned.plan));
  std::string said = report::counted(planned.plan.cells.size(), "cell", "cells");
  for (const grid::ExcludedBy& rule : planned.excluded)
    said += fmt::format("; {} excluded by {}", rule.cells, rule.rule);
  print(fmt::format("\n{}\n", said));
  for (const std::string& note : planned.notes) print(fmt::format("note: {}\n", note));
  if (planned.runs_program)
    print("A program's memory is not predicted; `strata grid run` measures it.\n");
  else if (!arguments.fast)
    print(fmt::format(
        "Peaks come from two steps on the dry GPU: on the cell's own card, or on {} if it has none.\n",
        arguments.card));
}

void print_json(const grid::Planned& planned, const grid::Table& table) {
  nlohmann::ordered_json document = {
      {"schema", "strata.grid-plan/1"}, {"name", planned.plan.name}, {"axes", planned.plan.axes}};
  document["cells"] = nlohmann::ordered_json::parse(grid::json_table(table));
  document["excluded"] = nlohmann::ordered_json::array();
  for (const grid::ExcludedBy& rule : planned.excluded)
    document["excluded"].push_back(
        {{"rule", rule.rule}, {"place", rule.place.text()}, {"cells", rule.cells}});
  document["notes"] = planned.notes;
  print(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

int show_plan(const PlanArguments& arguments) {
  const grid::Planned planned = arguments.source.plan();
  const bool predicts = !arguments.fast && !planned.runs_program;
  grid::Predictions predictions;
  if (predicts) {
    predictions = predicted(planned.plan.cells, arguments.card, grid::this_machine(0).cores);
    if (predictions.interrupted) return kSignalBase + *predictions.interrupted;
  }
  const grid::Table table = plan_table(planned.plan, predictions, predicts);
  if (arguments.json)
    print_json(planned, table);
  else
    print_text(planned, table, arguments);
  return kDone;
}

}  // namespace

void add_grid_plan_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* const command =
      grid.add_subcommand("plan", "Show the cells, their parameters and the memory that they will need");
  arguments->source.add_to(*command);
  command->add_flag("--fast", arguments->fast, "Skip the predictions, which take a second or more per cell");
  command->add_option(
      "--card", arguments->card,
      fmt::format("Card to predict cells that do not run on a dry GPU themselves [{}]", kPredictingCard));
  command->add_flag("--json", arguments->json, "Print the plan as JSON (strata.grid-plan/1)");
  command->footer(
      "Runs no cell and writes nothing. Every cell is checked, and all errors are reported together, with "
      "file and\n"
      "line (exit code 2).\n\n"
      "Examples:\n"
      "  strata grid plan configs/grids/optimizers.yaml\n"
      "  strata grid plan configs/grids/optimizers.yaml --fast optimizer.lr=[1e-3,1e-4]\n"
      "  strata grid plan configs/grids/optimizers.yaml --json | jq '.cells | length'");
  command->callback([arguments, &exit_code] { exit_code = show_plan(*arguments); });
}

}  // namespace strata::cli
