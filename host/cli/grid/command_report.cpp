// SPDX-License-Identifier: Apache-2.0
// `strata grid report` and `strata grid export`: one table over a grid, and pictures of it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/grid/subcommands.hpp"
#include "host/cli/grid/submit.hpp"
#include "host/cli/output_file.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/grid/begin.hpp"
#include "host/grid/folder_lock.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/pictures/grid_report.hpp"
#include "host/grid/table/labels.hpp"
#include "host/grid/table/results.hpp"
#include "host/grid/tally.hpp"
#include "host/report/plot/file_format.hpp"

namespace strata::cli {
namespace {

using report::plot::kFileFormatNames;

struct TableArguments {
  std::string folder;
  std::vector<std::string> columns;
  std::vector<std::string> group_by;
  bool each = false;

  void add_to(CLI::App& command) {
    command.add_option("DIR", folder, "Folder of the grid")->required();
    command
        .add_option("--columns", columns,
                    "Axes, measures, keys of a run (optimizer.lr), paths into summary.json "
                    "(peak.categories.Activation) [the usual]")
        ->delimiter(',');
    CLI::Option* const by = command
                                .add_option("--group-by", group_by,
                                            "Group cells with equal values of these axes into one row: "
                                            "median, least and most [all axes except the seed]")
                                ->delimiter(',');
    command.add_flag("--each", each, "One row per cell, without grouping seeds")->excludes(by);
  }
};

struct Seen {
  grid::GridFolder folder;
  grid::Plan plan;
  grid::Queue queue;
  std::vector<grid::CellState> states;
};

// `ask` queries Slurm. If its queue is unknown, read-only commands print a message, and others fail.
Seen look_at(const std::string& name, grid::Queue (*ask)(const grid::GridFolder&) = query_queue) {
  const grid::GridFolder folder(std::filesystem::absolute(name).lexically_normal());
  grid::Plan plan = folder.read_plan();
  grid::Queue queue = ask(folder);
  auto states = states_as_seen(folder, plan, !grid::FolderLock::holder(folder.path()).empty(), queue);
  return {folder, std::move(plan), std::move(queue), std::move(states)};
}

void remove_column(grid::Table& table, const std::string& name) {
  const auto place = std::ranges::find(table.columns, name, &grid::Column::name) - table.columns.begin();
  table.columns.erase(table.columns.begin() + place);
  for (std::vector<grid::Entry>& row : table.rows) row.erase(row.begin() + place);
}

grid::Table table_of(const Seen& seen, const TableArguments& arguments) try {
  const std::vector<std::string> columns =
      arguments.columns.empty() ? usual_columns(seen.plan, seen.states) : arguments.columns;
  grid::Table all = results_table(seen.folder, seen.plan, seen.states, columns);
  const bool has_seeds = std::ranges::find(seen.plan.axes, grid::kSeedAxis) != seen.plan.axes.end();
  if (arguments.each || (arguments.group_by.empty() && !has_seeds)) return all;
  std::vector<std::string> by = arguments.group_by;
  if (by.empty()) {
    by = seen.plan.axes;
    std::erase(by, grid::kSeedAxis);
    // Failed cells are not repeats of successful ones.
    by.emplace_back("status");
  }
  for (const std::string& name : by) {
    if (std::ranges::find(all.columns, name, &grid::Column::name) == all.columns.end() && name != "status")
      throw UsageError(fmt::format("--group-by {}: the table has no such column; add it to --columns", name));
  }
  std::vector<std::string> left;
  for (const grid::Column& column : all.columns) {
    const bool apart = column.name == "id" || column.name == grid::kSeedAxis;
    const bool is_key = std::ranges::find(by, column.name) != by.end();
    const bool axis = std::ranges::find(seen.plan.axes, column.name) != seen.plan.axes.end();
    if (is_key || !(apart || axis)) left.push_back(column.name);
  }
  const bool shows_status = std::ranges::find(left, "status") != left.end();
  const bool by_status = std::ranges::find(by, "status") != by.end();
  if (by_status && !shows_status) left.emplace_back("status");
  grid::Table table = grouped(results_table(seen.folder, seen.plan, seen.states, left), by);
  if (by_status && !shows_status) remove_column(table, "status");
  return table;
} catch (const grid::ColumnError& error) {
  throw UsageError(error.what());
}

const std::map<std::string, std::string (*)(const grid::Table&)> kWriters{{"csv", grid::csv_table},
                                                                          {"json", grid::json_table},
                                                                          {"md", grid::markdown_table},
                                                                          {"text", grid::terminal_table}};

struct ReportArguments {
  TableArguments table;
  grid::PictureChoice choice;
  std::string out;
};

void write_file(const std::filesystem::path& file, const std::string& content) {
  OutputFile output(file.string());
  output.write(content);
  output.commit();
}

int report_grid(const ReportArguments& arguments) {
  const Seen seen = look_at(arguments.table.folder);
  const grid::Table table = table_of(seen, arguments.table);
  print(grid::terminal_table(table) + grid::labels_text(seen.plan));
  print(fmt::format("\n{}\n", grid::tally_of(seen.states).text()));
  const std::filesystem::path out =
      arguments.out.empty() ? seen.folder.path() / "report" : std::filesystem::path(arguments.out);
  make_output_folder(out);
  write_file(out / "table.csv", csv_table(table));
  write_file(out / "table.md", markdown_table(table));
  write_file(out / "table.json", json_table(table));
  grid::ReportFiles files;
  try {
    files = grid::grid_report(seen.folder, seen.plan, seen.states, table, arguments.choice);
  } catch (const grid::ColumnError& error) {
    throw UsageError(error.what());
  }
  for (const std::string& note : files.notes) say(note);
  for (const auto& [name, content] : files.pictures) {
    write_file(out / name, content);
    print((out / name).string() + '\n');
  }
  write_file(out / "report.html", files.page);
  print((out / "table.csv").string() + '\n' + (out / "table.md").string() + '\n' +
        (out / "table.json").string() + '\n');
  print((out / "report.html").string() + '\n');
  return kDone;
}

struct ExportArguments {
  TableArguments table;
  std::string format = "csv";
  std::string out = "-";
  std::string engine;
};

// Its cells that have no result, for others to run.
int export_cells(const ExportArguments& arguments) {
  Seen seen = look_at(arguments.table.folder, cached_queue);
  seen.plan.engine.kind = chosen_engine(arguments.engine, seen.plan);
  if (seen.plan.engine.kind == grid::EngineKind::kLocal)
    throw UsageError("--engine local: no scripts are needed; run the cells with `strata grid resume`");
  plan_again(seen.states, grid::kGoesOn);
  const auto ids = cells_to_hand_out(seen.plan, seen.states, seen.queue);
  if (seen.plan.engine.kind == grid::EngineKind::kSlurm) return write_scripts(seen.folder, seen.plan, ids);
  write_file(arguments.out, manifest_lines(seen.folder, ids));
  return kDone;
}

}  // namespace

void add_grid_report_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* const command = grid.add_subcommand(
      "report", "Print one table of the grid, and write the table and its pictures into files");
  arguments->table.add_to(*command);
  command
      ->add_option("--heat", arguments->choice.heat_axes,
                   "Axes of the heat map, across and down [the two with most values]")
      ->delimiter(',')
      ->expected(2);
  command->add_option("--of", arguments->choice.measure, "Measure in the heat map [peak_allocated]");
  command->add_option("--pair", arguments->choice.pair, "Ids of two cells to show side by side")
      ->delimiter(',')
      ->expected(2);
  command
      ->add_option("--format", arguments->choice.formats,
                   "Format of the pictures: svg, png or pdf; separate several with commas [svg]")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(kFileFormatNames.begin(), kFileFormatNames.end())));
  command->add_option("--out", arguments->out, "Folder for the files [report in the grid's folder]");
  command->footer(
      "Seeds are grouped, as median (least to most). The last lines printed name the files.\n\n"
      "Examples:\n"
      "  strata grid report grids/optimizers\n"
      "  strata grid report grids/optimizers --columns optimizer,peak_allocated,peak.categories.Activation\n"
      "  strata grid report grids/optimizers --group-by optimizer --heat optimizer,model.context --of "
      "step_time\n"
      "  strata grid report grids/optimizers --pair 0a1b2c3d4e5f,f5e4d3c2b1a0 --format svg,pdf");
  command->callback([arguments, &exit_code] { exit_code = report_grid(*arguments); });
}

void add_grid_export_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* const command = grid.add_subcommand(
      "export", "Write the table as CSV, JSON, Markdown or text, or the cells as scripts and commands");
  arguments->table.add_to(*command);
  std::vector<std::string> names;
  names.reserve(kWriters.size());
  for (const auto& [name, writer] : kWriters) names.push_back(name);
  CLI::Option* const format =
      command->add_option("--format", arguments->format, "csv, json, md or text [csv]")
          ->check(CLI::IsMember(names));
  command
      ->add_option("--engine", arguments->engine,
                   "Export commands that run the cells without a result, instead of the table: slurm writes "
                   "batch scripts into slurm/<number> in the folder and prints their names; manifest writes "
                   "one command per line")
      ->check(CLI::IsMember(std::vector<std::string>{"slurm", "manifest"}))
      ->excludes(format);
  command->add_option("--out", arguments->out, "File to write; - for standard output [-]");
  command->footer(
      "CSV and JSON have bytes and nanoseconds, as the columns' names say; the other formats have MiB and "
      "ms.\n\n"
      "Examples:\n"
      "  strata grid export grids/optimizers > optimizers.csv\n"
      "  strata grid export grids/optimizers --each --format json | jq '.[] | select(.status == \"ok\")'\n"
      "  strata grid export grids/optimizers --format md --out table.md\n"
      "  strata grid export grids/optimizers --engine slurm\n"
      "  strata grid export grids/optimizers --engine manifest --out cells.txt\n"
      "  parallel --joblog jobs.txt --resume-failed < cells.txt\n"
      "  xargs -d '\\n"
      "' -n 1 -P 4 sh -c < cells.txt\n"
      "  flux bulksubmit --cores=4 sh -c {} :::: cells.txt");
  command->callback([arguments, &exit_code] {
    if (!arguments->engine.empty()) {
      exit_code = export_cells(*arguments);
      return;
    }
    const Seen seen = look_at(arguments->table.folder);
    write_file(arguments->out, kWriters.at(arguments->format)(table_of(seen, arguments->table)));
    exit_code = kDone;
  });
}

}  // namespace strata::cli
