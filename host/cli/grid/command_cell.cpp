// SPDX-License-Identifier: Apache-2.0
// `strata grid cell`: runs cells of a grid on the current machine. Used by Slurm tasks and manifest lines.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/grid/display.hpp"
#include "host/cli/grid/input.hpp"
#include "host/cli/grid/subcommands.hpp"
#include "host/cli/grid/submit.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/grid/begin.hpp"
#include "host/grid/folder_lock.hpp"
#include "host/grid/slurm/submission.hpp"

namespace strata::cli {
namespace {

struct CellArguments {
  std::string folder;
  std::vector<std::string> ids;
  std::string list;
  std::int64_t index = 0, offset = 0, pack = 1;
};

std::vector<std::size_t> places_of(const grid::Plan& plan, const CellArguments& arguments) {
  const std::vector<std::string> ids =
      arguments.list.empty()
          ? arguments.ids
          : grid::cells_of_task(arguments.list, arguments.index + arguments.offset, arguments.pack);
  if (ids.empty()) throw UsageError("name the cells by their ids, or with --list and --index");
  std::vector<std::size_t> places;
  for (const std::string& id : ids) {
    const auto found = std::ranges::find(plan.cells, id, &grid::Cell::id);
    if (found == plan.cells.end())
      throw UsageError(fmt::format("no cell of {} has the id {}; `strata grid status {}` lists them",
                                   arguments.folder, id, arguments.folder));
    places.push_back(static_cast<std::size_t>(found - plan.cells.begin()));
  }
  return places;
}

int run_cells(const CellArguments& arguments) {
  const grid::GridFolder folder(std::filesystem::absolute(arguments.folder).lexically_normal());
  const grid::Plan plan = folder.read_plan(true);
  const std::vector<std::size_t> wanted = places_of(plan, arguments);
  const grid::FolderLock shared = share_grid(folder);
  std::vector<grid::CellState> states;
  for (const grid::Cell& cell : plan.cells) states.push_back(folder.read_state(cell.id));
  std::vector<grid::FolderLock> claims;
  std::vector<std::size_t> left_out;
  bool taken = false;
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    const std::string& id = plan.cells[index].id;
    if (std::ranges::find(wanted, index) == wanted.end()) {
      left_out.push_back(index);
      continue;
    }
    auto claim = grid::FolderLock::take(folder.cell(id));
    if (!claim) {
      say(fmt::format("{} is being run by {}", id, grid::FolderLock::holder(folder.cell(id))));
      left_out.push_back(index);
      taken = true;
      continue;
    }
    claims.push_back(*std::move(claim));
    states[index] = grid::settled_state(folder, id);
    if (is_result(states[index].status))
      say(fmt::format("{} has a result: {}", id, outcome_text(states[index])));
    else
      states[index].plan_again();
  }
  GridDisplay display(plan, false);
  grid::Runner runner(folder, plan, std::move(states), grid::this_machine(gpus_for(plan)), run_command(),
                      display);
  runner.leave_out(left_out);
  const grid::GridOutcome outcome = runner.run();
  if (outcome.end == grid::GridEnd::kInterrupted) return kSignalBase + outcome.signal;
  if (!outcome.message.empty()) say(outcome.message);
  const bool all_well = !taken && std::ranges::all_of(wanted, [&](std::size_t index) {
    return is_result(runner.states()[index].status);
  });
  return all_well ? kDone : kFailed;
}

}  // namespace

void add_grid_cell_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<CellArguments>();
  CLI::App* const command =
      grid.add_subcommand("cell", "Run the given cells of a grid, if they have no result yet");
  command->add_option("DIR", arguments->folder, "Folder of the grid")->required();
  CLI::Option* const ids = command->add_option("ID", arguments->ids, "Ids of cells");
  CLI::Option* const list =
      command->add_option("--list", arguments->list, "File with one id per line, instead of ids")
          ->excludes(ids);
  command->add_option("--index", arguments->index, "Index of the task in the list, from 0")->needs(list);
  command->add_option("--offset", arguments->offset, "Number to add to the index [0]")->needs(list);
  command->add_option("--pack", arguments->pack, "Number of cells in one task [1]")->needs(list);
  command->footer(
      "Slurm's tasks and the lines of a manifest run this command. It is safe to run it twice, even at the "
      "same\n"
      "time: it skips cells that have a result and cells that another process is running.\n\n"
      "Exit codes: 0 every cell has a result (out of memory is one), 1 a cell failed, is running elsewhere "
      "or could\n"
      "not be run, 2 bad usage, 128 + a signal: interrupted; the unfinished cell is lost and has to be run "
      "again.\n\n"
      "Examples:\n"
      "  strata grid cell grids/optimizers 0a1b2c3d4e5f\n"
      "  strata grid cell grids/optimizers --list grids/optimizers/slurm/1/cells.txt --index 3");
  command->callback([arguments, &exit_code] { exit_code = run_cells(*arguments); });
}

}  // namespace strata::cli
