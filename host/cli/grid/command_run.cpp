// SPDX-License-Identifier: Apache-2.0
// `strata grid run`, `resume` and `retry`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/grid/input.hpp"
#include "host/cli/grid/subcommands.hpp"
#include "host/cli/grid/submit.hpp"
#include "host/cli/grid/work.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/grid/begin.hpp"
#include "host/grid/processes/durable_file.hpp"

namespace strata::cli {
namespace {

using grid::Status;

struct GridRunArguments {
  GridInput source;
  std::string out;
  std::string engine;
  bool no_submit = false;
  bool json = false;
};

void add_engine_option(CLI::App& command, std::string& engine) {
  command
      .add_option(
          "--engine", engine,
          "local runs the cells here; slurm submits them; manifest prints one command per line [the file's]")
      ->check(CLI::IsMember(std::vector<std::string>{"local", "slurm", "manifest"}));
}

void require_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw UsageError(fmt::format("the grid's folder {} cannot be created: {}; name another with --out",
                                 folder.string(), error.message()));
}

// A folder that holds something else is not written into.
void require_grid_or_empty(const grid::GridFolder& folder) {
  if (folder.has_plan()) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    if (name != "grid.lock" && name != "cells" && name != "slurm")
      throw UsageError(fmt::format("{} is not empty and contains no grid; name another folder with --out",
                                   folder.path().string()));
  }
}

int run_grid(const GridRunArguments& arguments) {
  grid::Planned planned = arguments.source.plan();
  planned.plan.engine.kind = chosen_engine(arguments.engine, planned.plan);
  const std::filesystem::path path =
      std::filesystem::absolute(arguments.out.empty() ? std::filesystem::path("grids") / planned.plan.name
                                                      : std::filesystem::path(arguments.out));
  for (const std::string& note : planned.notes) say(note);
  require_folder(path);
  const grid::GridFolder folder(path.lexically_normal());
  require_grid_or_empty(folder);
  auto lock = std::make_optional(lock_alone(folder));
  const auto submissions = lock_submissions(folder, planned.plan.engine.kind);
  const grid::Queue queue = cached_queue(folder);
  if (planned.plan.engine.kind != grid::EngineKind::kSlurm) require_no_jobs(queue, folder);
  if (folder.has_plan()) {
    const grid::PlanChange change = change_between(folder.read_plan(), planned.plan);
    say(
        fmt::format("{} already contains a grid: {} cells are in both, {} are new, {} are no longer in it "
                    "(their folders are kept)",
                    path.string(), change.kept, change.added, change.removed));
  }
  folder.write_plan(planned.plan);
  std::vector<grid::CellState> states = settled_states(folder, planned.plan, queue);
  plan_again(states, grid::kGoesOn);
  if (planned.plan.engine.kind != grid::EngineKind::kLocal) {
    // Tasks may start while others are still submitted.
    lock.reset();
    const grid::FolderLock shared = share_grid(folder);
    return submit(folder, planned.plan, states, cells_to_hand_out(planned.plan, states, queue),
                  !arguments.no_submit);
  }
  return work_on(folder, planned.plan, std::move(states), arguments.json);
}

grid::GridFolder existing(const std::string& name) {
  grid::GridFolder folder(std::filesystem::absolute(name).lexically_normal());
  if (!std::filesystem::is_directory(folder.path()))
    throw UsageError(
        fmt::format("the folder {} does not exist; `strata grid run GRID.yaml` creates one", name));
  return folder;
}

// The exclusive lock of the folder if this process runs the cells, else the shared one.
grid::FolderLock lock_for(const grid::Plan& plan, const grid::GridFolder& folder) {
  return plan.engine.kind == grid::EngineKind::kLocal ? lock_alone(folder) : share_grid(folder);
}

// A grid that was begun before, locked for as long as this lives.
struct OpenGrid {
  OpenGrid(const std::string& name, const std::string& engine)
      : folder(existing(name)),
        plan(folder.read_plan(true)),
        kind(plan.engine.kind = chosen_engine(engine, plan)),
        lock(lock_for(plan, folder)),
        submissions(lock_submissions(folder, kind)),
        queue(cached_queue(folder)) {
    if (kind != grid::EngineKind::kSlurm) require_no_jobs(queue, folder);
    states = settled_states(folder, plan, queue);
  }

  // Runs the planned cells, except `left_out`.
  int go_on(bool json, const std::vector<std::size_t>& left_out = {}) {
    if (kind == grid::EngineKind::kLocal) return work_on(folder, plan, std::move(states), json, left_out);
    return submit(folder, plan, states, cells_to_hand_out(plan, states, queue, left_out), true);
  }

  grid::GridFolder folder;
  grid::Plan plan;
  grid::EngineKind kind;
  grid::FolderLock lock;
  std::optional<grid::FolderLock> submissions;
  grid::Queue queue;
  std::vector<grid::CellState> states;
};

struct ResumeArguments {
  std::string folder;
  std::string engine;
  std::vector<std::string> keep;
  bool json = false;
};

int resume_grid(const ResumeArguments& arguments) {
  OpenGrid opened(arguments.folder, arguments.engine);
  std::vector<Status> again;
  for (const Status status : grid::kGoesOn) {
    if (std::ranges::find(arguments.keep, std::string(name_of(status))) == arguments.keep.end())
      again.push_back(status);
  }
  plan_again(opened.states, again);
  return opened.go_on(arguments.json);
}

struct RetryArguments {
  std::string folder;
  std::string engine;
  std::vector<std::string> statuses{"failed", "timeout", "lost"};
  std::vector<std::string> ids;
  bool json = false;
};

int retry_grid(const RetryArguments& arguments) {
  OpenGrid opened(arguments.folder, arguments.engine);
  std::size_t chosen = 0;
  for (const std::string& id : arguments.ids) {
    if (std::ranges::find(opened.plan.cells, id, &grid::Cell::id) == opened.plan.cells.end())
      throw UsageError(fmt::format("--only {}: no cell has that id; `strata grid status {}` lists them", id,
                                   arguments.folder));
  }
  std::vector<std::size_t> others;  // neither requested now nor run before
  for (std::size_t index = 0; index < opened.states.size(); ++index) {
    const bool by_id = std::ranges::find(arguments.ids, opened.plan.cells[index].id) != arguments.ids.end();
    const bool by_status =
        arguments.ids.empty() &&
        std::ranges::find(arguments.statuses, std::string(name_of(opened.states[index].status))) !=
            arguments.statuses.end();
    if (by_id || by_status) {
      opened.states[index].plan_again();
      ++chosen;
    } else if (opened.states[index].status == Status::kPlanned) {
      others.push_back(index);
    }
  }
  if (chosen == 0)
    throw UsageError(
        fmt::format("no cell of {} is {}", arguments.folder, fmt::join(arguments.statuses, " or ")));
  return opened.go_on(arguments.json, others);
}

constexpr const char* kEnds =
    "Exit codes: 0 every cell has a result (out of memory is one), 1 some cells have none, 2 bad usage or\n"
    "configuration: nothing was started, 130 and 143 interrupted.\n\n";

}  // namespace

void add_grid_run_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<GridRunArguments>();
  CLI::App* const command =
      grid.add_subcommand("run", "Run every cell, each in its own process, and print the table");
  arguments->source.add_to(*command);
  command->add_option("--out", arguments->out, "Folder of the grid [grids/<name>]");
  add_engine_option(*command, arguments->engine);
  command->add_flag("--no-submit", arguments->no_submit,
                    "With the engine slurm: write the scripts and print their names, but submit nothing");
  command->add_flag("--json", arguments->json, "Print the JSON of `strata grid status --json`");
  command->footer(std::string("Cells that already have a result in the folder are not run again. Ctrl-C asks "
                              "the running cells to end;\n"
                              "`strata grid resume` continues.\n\n") +
                  kEnds +
                  "Examples:\n"
                  "  strata grid run configs/grids/optimizers.yaml\n"
                  "  strata grid run configs/grids/optimizers.yaml --out /tmp/optimizers engine.slots=1\n"
                  "  strata grid run configs/grids/optimizers.yaml --dry a100-40gb limits.timeout=10m\n"
                  "  strata grid run configs/grids/optimizers.yaml --engine slurm engine.partition=gpu\n"
                  "  strata grid run configs/grids/optimizers.yaml --engine manifest > cells.txt\n"
                  "  parallel --joblog jobs.txt --resume-failed < cells.txt");
  command->callback([arguments, &exit_code] { exit_code = run_grid(*arguments); });
}

void add_grid_resume_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<ResumeArguments>();
  CLI::App* const command = grid.add_subcommand(
      "resume", "Continue a grid that was interrupted, was killed or ran out of disk space");
  command->add_option("DIR", arguments->folder, "Folder of the grid")->required();
  command->add_option("--keep", arguments->keep, "Which of failed and timeout not to run again [none]")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>{"failed", "timeout"}));
  add_engine_option(*command, arguments->engine);
  command->add_flag("--json", arguments->json, "Print the JSON of `strata grid status --json`");
  command->footer(std::string("Runs every cell without a result: never started, lost, failed or timed out. "
                              "Cells that are ok, out of\n"
                              "memory or skipped are kept.\n\n") +
                  kEnds +
                  "Examples:\n  strata grid resume grids/optimizers\n  strata grid resume grids/optimizers "
                  "--keep failed,timeout");
  command->callback([arguments, &exit_code] { exit_code = resume_grid(*arguments); });
}

void add_grid_retry_command(CLI::App& grid, int& exit_code) {
  auto arguments = std::make_shared<RetryArguments>();
  CLI::App* const command = grid.add_subcommand(
      "retry", "Run again only the cells with the given statuses, or only the given cells");
  command->add_option("DIR", arguments->folder, "Folder of the grid")->required();
  std::vector<std::string> names;
  names.reserve(grid::kStatuses.size());
  for (const Status status : grid::kStatuses) names.emplace_back(name_of(status));
  command
      ->add_option("--status", arguments->statuses,
                   "Statuses to run again: oom, failed, timeout, skipped, lost, ok [failed,timeout,lost]")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  command->add_option("--only", arguments->ids, "Ids of the cells to run, instead of statuses")
      ->delimiter(',');
  add_engine_option(*command, arguments->engine);
  command->add_flag("--json", arguments->json, "Print the JSON of `strata grid status --json`");
  command->footer(std::string(kEnds) +
                  "Examples:\n  strata grid retry grids/optimizers\n  strata grid retry grids/optimizers "
                  "--status oom,failed\n"
                  "  strata grid retry grids/optimizers --only 0a1b2c3d4e5f");
  command->callback([arguments, &exit_code] { exit_code = retry_grid(*arguments); });
}

}  // namespace strata::cli
