// SPDX-License-Identifier: Apache-2.0
#include "host/cli/grid/work.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "host/cli/exit_code.hpp"
#include "host/cli/grid/display.hpp"
#include "host/cli/grid/input.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/grid/placement.hpp"
#include "host/grid/runner.hpp"
#include "host/grid/table/labels.hpp"
#include "host/grid/table/results.hpp"
#include "host/grid/table/status_text.hpp"
#include "host/report/shell_word.hpp"

namespace strata::cli {
namespace {

using grid::Status;

// For a process that computes almost nothing: measured, with a margin.
constexpr std::uint64_t kProgramBytes = std::uint64_t{384} << 20;

struct HostMemory {
  std::vector<std::uint64_t> bytes;  // by cell
  std::optional<int> interrupted;    // the signal that ended the asking
};

// The predicted host memory of each cell. Uses the dry GPU only if cells share the machine and their tensors
// are in host memory.
HostMemory host_memory(const grid::Plan& plan, const std::vector<grid::CellState>& states,
                       const grid::Machine& machine) {
  HostMemory memory{std::vector<std::uint64_t>(plan.cells.size(), kProgramBytes), {}};
  const bool shared = plan.engine.slots ? *plan.engine.slots > 1 : machine.cores > 1;
  std::vector<grid::Cell> asked;
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    const grid::Cell& cell = plan.cells[index];
    const bool could_share =
        plan.engine.slots || (cell.needs.cores > 0 && cell.needs.cores * 2 <= machine.cores);
    if (states[index].status == Status::kPlanned && cell.device == "cpu" && shared && could_share)
      asked.push_back(cell);
  }
  if (asked.size() < 2 || !plan.engine.predicts) return memory;
  const grid::Predictions predictions = predicted(asked, kPredictingCard, machine.cores);
  memory.interrupted = predictions.interrupted;
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    const auto found = predictions.by_shape.find(plan.cells[index].shape_id);
    if (found != predictions.by_shape.end() && found->second.peak_allocated)
      memory.bytes[index] += *found->second.peak_allocated;
  }
  return memory;
}

void require_gpus(const grid::Plan& plan, std::int64_t gpus) {
  for (const grid::Cell& cell : plan.cells) {
    if (cell.needs.gpus > gpus)
      throw UsageError(fmt::format(
          "the cell {} ({}) needs {} of this machine, which has {}; --dry PROFILE runs the grid on "
          "devices that compute nothing",
          cell.id, cell.text(), cell.needs.gpus == 1 ? "a GPU" : fmt::format("{} GPUs", cell.needs.gpus),
          gpus == 0 ? "none" : std::to_string(gpus)));
  }
}

int exit_code_of(const grid::GridOutcome& outcome, const std::vector<grid::CellState>& states,
                 const grid::GridFolder& folder) {
  const std::string resume = fmt::format("continue with `strata grid resume {}`", folder.path().string());
  switch (outcome.end) {
    case grid::GridEnd::kInterrupted:
      say("interrupted; " + resume);
      return kSignalBase + outcome.signal;
    case grid::GridEnd::kNoRoom:
      say(fmt::format("{}; free some space, then {}", outcome.message, resume));
      return kFailed;
    case grid::GridEnd::kStopped:
      say("stopped, because of `limits`; " + resume);
      return kFailed;
    case grid::GridEnd::kOver:
      break;
  }
  const bool all_well =
      std::ranges::all_of(states, [](const grid::CellState& state) { return is_result(state.status); });
  if (!all_well) say("not every cell has a result; " + resume);
  return all_well ? kDone : kFailed;
}

}  // namespace

grid::FolderLock lock_grid(const std::filesystem::path& folder) {
  auto lock = grid::FolderLock::take(folder);
  if (lock) return *std::move(lock);
  const std::string holder = grid::FolderLock::holder(folder);
  if (holder.empty())
    throw UsageError(
        fmt::format("other commands or jobs (`strata grid cell`) are running cells of {}; wait for them, or "
                    "name another folder with --out",
                    folder.string()));
  throw UsageError(fmt::format("{} is being written by {}; wait for it, or name another folder with --out",
                               folder.string(), holder));
}

int work_on(const grid::GridFolder& folder, const grid::Plan& plan, std::vector<grid::CellState> states,
            bool json, const std::vector<std::size_t>& left_out) {
  const std::int64_t gpus = gpus_for(plan);
  require_gpus(plan, gpus);
  const grid::Machine machine = grid::this_machine(gpus);
  const HostMemory memory = host_memory(plan, states, machine);
  if (memory.interrupted) {
    say(fmt::format("interrupted; continue with `strata grid resume {}`", folder.path().string()));
    return kSignalBase + *memory.interrupted;
  }
  const auto planned = std::ranges::count(states, Status::kPlanned, &grid::CellState::status) -
                       static_cast<std::ptrdiff_t>(left_out.size());
  say(fmt::format("{}: {} of {} cells to run, in {}", plan.name, planned, plan.cells.size(),
                  folder.path().string()));
  GridDisplay display(plan, is_terminal(STDERR_FILENO));
  grid::Runner runner(folder, plan, std::move(states), machine, run_command(), display);
  runner.expect_memory(memory.bytes);
  runner.leave_out(left_out);
  const grid::GridOutcome outcome = runner.run();
  if (json) {
    print(grid::status_json(plan, runner.states()));
  } else {
    print(grid::terminal_table(grid::results_table(folder, plan, runner.states(),
                                                   grid::usual_columns(plan, runner.states()))) +
          grid::labels_text(plan));
    print(fmt::format("\n{}\n", grid::tally_of(runner.states()).text()));
    say(fmt::format(
        "for a page with pictures: strata grid report {}",
        report::shell_word(folder.path().lexically_proximate(std::filesystem::current_path()).string())));
  }
  return exit_code_of(outcome, runner.states(), folder);
}

}  // namespace strata::cli
