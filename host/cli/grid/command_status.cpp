// SPDX-License-Identifier: Apache-2.0
// `strata grid status`: how far a grid is, from any shell.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/grid/display.hpp"
#include "host/cli/grid/subcommands.hpp"
#include "host/cli/grid/submit.hpp"
#include "host/cli/terminal.hpp"
#include "host/grid/begin.hpp"
#include "host/grid/folder_lock.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/table/results.hpp"
#include "host/grid/table/status_text.hpp"
#include "host/grid/tally.hpp"

namespace strata::cli {
namespace {

struct StatusArguments {
  std::string folder;
  bool json = false;
};

std::string at_work(const grid::Queue& queue, const std::string& holder) {
  if (!holder.empty()) return "being written by " + holder;
  if (!queue.is_known()) return "how many are in Slurm's queue is unknown";
  if (!queue.by_cell.empty()) return fmt::format("{} of them in Slurm's queue", queue.by_cell.size());
  return "no grid is running here";
}

void show_status(const StatusArguments& arguments) {
  const grid::GridFolder folder(std::filesystem::absolute(arguments.folder).lexically_normal());
  const grid::Plan plan = folder.read_plan();
  const std::string holder = grid::FolderLock::holder(folder.path());
  const grid::Queue queue = query_queue(folder);
  const auto states = states_as_seen(folder, plan, !holder.empty(), queue);
  if (arguments.json) return print(grid::status_json(plan, states, queue));
  std::vector<std::string> columns{"id"};
  columns.insert(columns.end(), plan.axes.begin(), plan.axes.end());
  columns.insert(columns.end(), {"status", "attempt", "peak_allocated", "reason"});
  print(grid::terminal_table(grid::results_table(folder, plan, states, columns)));
  print(fmt::format("\n{}; {}\n", grid::tally_of(states).text(), at_work(queue, holder)));
}

}  // namespace

void add_grid_status_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<StatusArguments>();
  CLI::App* const command =
      grid.add_subcommand("status", "Show the status of each cell, also while the grid is running");
  command->add_option("DIR", arguments->folder, "Folder of the grid")->required();
  command->add_flag("--json", arguments->json, "Print the status as JSON (strata.grid-status/1)");
  command->footer(
      "A status is planned, running, ok, oom (out of device memory: a result), failed, timeout, skipped (a "
      "smaller\n"
      "cell ran out of memory), or lost (ended by something outside Strata). Changes nothing.\n\n"
      "Examples:\n"
      "  strata grid status grids/optimizers\n"
      "  strata grid status grids/optimizers --json | jq '.cells[] | select(.status == \"oom\") | .id'");
  command->callback([arguments, &exit_code] {
    show_status(*arguments);
    exit_code = kDone;
  });
}

}  // namespace strata::cli
