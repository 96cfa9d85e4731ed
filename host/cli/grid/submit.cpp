// SPDX-License-Identifier: Apache-2.0
#include "host/cli/grid/submit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "host/cli/exit_code.hpp"
#include "host/cli/grid/work.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/grid/slurm/submit.hpp"
#include "host/report/quantity.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

using grid::EngineKind;
using grid::Status;

// Slurm's own default.
constexpr std::int64_t kUsualMaxArraySize = 1001;

std::filesystem::path this_program() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

void forget_results(const grid::GridFolder& folder, const grid::Plan& plan,
                    const std::vector<grid::CellState>& states, const std::vector<std::string>& ids) {
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    const std::string& id = plan.cells[index].id;
    if (std::ranges::find(ids, id) != ids.end() && is_result(folder.read_state(id).status))
      folder.write_state(id, states[index]);
  }
}

std::int64_t array_size_or_usual() try {
  return grid::max_array_size();
} catch (const grid::SlurmError& error) {
  say(fmt::format("{}; arrays are sized for a MaxArraySize of {}", error.what(), kUsualMaxArraySize));
  return kUsualMaxArraySize;
}

int submit_to_slurm(const grid::GridFolder& folder, const grid::Plan& plan, std::vector<std::string> ids) {
  const std::size_t cells = ids.size();
  grid::Submission submission = write_submission(plan, std::move(ids), grid::max_array_size(),
                                                 {.program = this_program(), .grid = folder.path()});
  submit(submission, plan);
  std::vector<std::string> jobs;
  for (const grid::ArrayJob& array : submission.arrays) jobs.push_back(array.job);
  print(fmt::format("{} submitted: {} {}; job {} writes the report into {}\n",
                    report::counted(cells, "cell", "cells"), jobs.size() == 1 ? "array" : "arrays",
                    fmt::join(jobs, ", "), submission.collector, (folder.path() / "report").string()));
  say(fmt::format("to see their status: `strata grid status {}`", folder.path().string()));
  return kDone;
}

}  // namespace

EngineKind chosen_engine(const std::string& name, const grid::Plan& plan) {
  if (name.empty()) return plan.engine.kind;
  if (const auto kind = grid::engine_named(name)) return *kind;
  throw UsageError(fmt::format("--engine {}: expected local, slurm or manifest", name));
}

grid::Queue query_queue(const grid::GridFolder& folder) {
  grid::Queue queue = grid::queue_of(folder.path());
  if (!queue.problem.empty())
    say(fmt::format("Slurm cannot report which jobs of this grid are still queued: {}", queue.problem));
  return queue;
}

grid::Queue cached_queue(const grid::GridFolder& folder) {
  grid::Queue queue = grid::queue_of(folder.path());
  if (queue.is_known()) return queue;
  throw grid::SlurmError(fmt::format(
      "Slurm cannot report which jobs of this grid are still queued: {}. Nothing was started, because cells "
      "could run twice. Try again where squeue works; or, if no job of the grid is left, move {} away",
      queue.problem, (folder.path() / "slurm").string()));
}

std::optional<grid::FolderLock> lock_submissions(const grid::GridFolder& folder, EngineKind engine) {
  if (engine != EngineKind::kSlurm) return std::nullopt;
  std::filesystem::create_directories(folder.path() / "slurm");
  return lock_grid(folder.path() / "slurm");
}

void require_no_jobs(const grid::Queue& queue, const grid::GridFolder& folder) {
  if (queue.by_cell.empty()) return;
  std::set<std::string> jobs;
  for (const auto& [id, task] : queue.by_cell) jobs.insert(task.job.substr(0, task.job.find('_')));
  throw UsageError(fmt::format(
      "Slurm has {} of {} in its queue; wait for them, or end them first: scancel {}",
      report::counted(queue.by_cell.size(), "cell", "cells"), folder.path().string(), fmt::join(jobs, " ")));
}

grid::FolderLock lock_alone(const grid::GridFolder& folder) {
  if (auto lock = grid::FolderLock::take(folder.path())) return *std::move(lock);
  require_no_jobs(grid::queue_of(folder.path()), folder);
  return lock_grid(folder.path());
}

grid::FolderLock share_grid(const grid::GridFolder& folder) {
  if (auto lock = grid::FolderLock::share(folder.path(), std::chrono::seconds(10))) return *std::move(lock);
  throw UsageError(fmt::format("{} is being written by {}; wait for it", folder.path().string(),
                               grid::FolderLock::holder(folder.path())));
}

std::vector<std::string> cells_to_hand_out(const grid::Plan& plan, const std::vector<grid::CellState>& states,
                                           const grid::Queue& queue,
                                           const std::vector<std::size_t>& left_out) {
  std::vector<std::string> ids;
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    const std::string& id = plan.cells[index].id;
    if (states[index].status == Status::kPlanned && !queue.by_cell.contains(id) &&
        std::ranges::find(left_out, index) == left_out.end())
      ids.push_back(id);
  }
  return ids;
}

std::string manifest_lines(const grid::GridFolder& folder, const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids)
    text += report::shell_line({this_program().string(), "grid", "cell", folder.path().string(), id}) + '\n';
  return text;
}

int write_scripts(const grid::GridFolder& folder, const grid::Plan& plan, std::vector<std::string> ids) {
  if (ids.empty()) {
    say("nothing to submit: every cell has a result or is in Slurm's queue");
    return kDone;
  }
  const grid::Submission submission = write_submission(plan, std::move(ids), array_size_or_usual(),
                                                       {.program = this_program(), .grid = folder.path()});
  for (std::size_t array = 0; array < submission.arrays.size(); ++array)
    print(submission.array_script(array).string() + '\n');
  print(submission.collector_script().string() + '\n');
  return kDone;
}

int submit(const grid::GridFolder& folder, const grid::Plan& plan, const std::vector<grid::CellState>& states,
           const std::vector<std::string>& ids, bool submits) {
  say(fmt::format("{}: {} of {} cells to run, in {}", plan.name, ids.size(), plan.cells.size(),
                  folder.path().string()));
  forget_results(folder, plan, states, ids);
  if (plan.engine.kind == EngineKind::kManifest) {
    print(manifest_lines(folder, ids));
    return kDone;
  }
  if (!submits || ids.empty()) return write_scripts(folder, plan, ids);
  return submit_to_slurm(folder, plan, ids);
}

}  // namespace strata::cli
