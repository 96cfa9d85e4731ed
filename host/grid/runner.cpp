// SPDX-License-Identifier: Apache-2.0
#include "host/grid/runner.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/grid/outcome.hpp"
#include "host/grid/plan/dominance.hpp"
#include "host/grid/processes/durable_file.hpp"
#include "host/grid/processes/host_name.hpp"

namespace strata::grid {
namespace {

// The scheduler job that contains this process.

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// In the form of squeue: "12", or "12_3" for a task of an array; for Flux, its id. Empty if there is none.
std::string this_job() {
  const std::string array = variable("SLURM_ARRAY_JOB_ID"), task = variable("SLURM_ARRAY_TASK_ID");
  if (!array.empty() && !task.empty()) return array + '_' + task;
  if (std::string job = variable("SLURM_JOB_ID"); !job.empty()) return job;
  return variable("FLUX_JOB_ID");
}

using Clock = std::chrono::steady_clock;

// How long a cell that was asked to end may take for its report.
constexpr std::chrono::seconds kGrace{10};
constexpr std::chrono::milliseconds kLook{500};

}  // namespace

Runner::Runner(GridFolder folder, Plan plan, std::vector<CellState> states, Machine machine,
               RunCommand command, Watcher& watcher)
    : folder_(std::move(folder)),
      plan_(std::move(plan)),
      states_(std::move(states)),
      memory_(states_.size(), 0),
      command_(std::move(command)),
      watcher_(watcher),
      placement_(std::move(machine), plan_.engine) {}

GridOutcome Runner::run() {
  while (true) {
    const bool left = !stopping_ && start_what_fits();
    watcher_.looked(states_);
    if (running_.empty() && !left) return outcome_;
    for (const ProcessSet::Ended& ended : processes_.wait(kLook)) end(ended);
    if (const auto signal = processes_.interruption()) stop(GridEnd::kInterrupted, *signal, "");
    look_at_time();
  }
}

// Whether a cell is left that was not started.
bool Runner::start_what_fits() {
  bool left = false;
  for (std::size_t cell = 0; cell < plan_.cells.size() && !stopping_; ++cell) {
    if (states_[cell].status != Status::kPlanned || std::ranges::find(left_out_, cell) != left_out_.end())
      continue;
    if (skip_if_dominated(cell)) continue;
    if (auto place = placement_.take({plan_.cells[cell].needs, memory_[cell]})) {
      start(cell, *std::move(place));
    } else if (running_.empty()) {
      CellState state = states_[cell];
      state.status = Status::kFailed;
      state.reason =
          fmt::format("needs {} GPUs, which this machine does not have", plan_.cells[cell].needs.gpus);
      keep(cell, std::move(state));
    } else {
      left = true;
    }
  }
  return left;
}

bool Runner::skip_if_dominated(std::size_t cell) {
  const auto& axes = plan_.limits.skip_dominated;
  if (axes.empty()) return false;
  for (std::size_t other = 0; other < states_.size(); ++other) {
    if (states_[other].status != Status::kOutOfMemory ||
        !dominates(plan_.cells[cell], plan_.cells[other], axes))
      continue;
    CellState state = states_[cell];
    state.status = Status::kSkipped;
    state.dominated_by = plan_.cells[other].id;
    state.reason = fmt::format("{} ran out of memory", plan_.cells[other].text());
    keep(cell, std::move(state));
    return true;
  }
  return false;
}

void Runner::start(std::size_t index, Place place) {
  const Cell& cell = plan_.cells[index];
  CellState state{.status = Status::kRunning,
                  .attempt = states_[index].attempt + 1,
                  .pid = 0,
                  .host = host_name(),
                  .job = this_job(),
                  .gpus = {},
                  .began = utc_now(),
                  .ended = {},
                  .exit_code = {},
                  .signal = {},
                  .reason = {},
                  .dominated_by = {},
                  .result = {}};
  const CellState before = states_[index];
  try {
    if (!place.gpus.empty() && cell.device == "cuda")
      state.gpus = fmt::format("{}", fmt::join(place.gpus, ","));
    else if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"))
      state.gpus = visible;
    folder_.remove_runs_before(cell.id, state.attempt);
    states_[index] = state;
    Launch launch = command_(folder_.config(cell.id), run_folder(index));
    launch.output = folder_.output(cell.id);
    if (!place.gpus.empty() && cell.device == "cuda") launch.variables["CUDA_VISIBLE_DEVICES"] = state.gpus;
    folder_.write_state(cell.id, state);
    state.pid = processes_.start(launch);
    states_[index].pid = state.pid;
    running_.emplace(static_cast<pid_t>(state.pid),
                     Attempt{.cell = index, .place = std::move(place), .began = Clock::now(), .told = {}});
    watcher_.began(cell);
  } catch (const WriteError& error) {
    states_[index] = before;
    placement_.give_back(place);
    return stop(GridEnd::kNoRoom, 0, error.what());
  } catch (const std::system_error& error) {  // of starting a process: those that run go on to their end
    states_[index] = before;
    placement_.give_back(place);
    folder_.write_state(cell.id, before);
    return stop(GridEnd::kNoRoom, 0, error.what());
  }
  try {
    folder_.write_state(cell.id, states_[index]);
  } catch (const WriteError& error) {
    stop(GridEnd::kNoRoom, 0, error.what());
  }
}

void Runner::end(const ProcessSet::Ended& ended) {
  const Attempt attempt = running_.at(ended.pid);
  running_.erase(ended.pid);
  placement_.give_back(attempt.place);
  const Cell& cell = plan_.cells[attempt.cell];
  const bool is_well =
      ended.exit_code && *ended.exit_code == 0 && store_problem(run_folder(attempt.cell)).empty();
  const Ending ending{.exit_code = ended.exit_code,
                      .signal = ended.signal,
                      .timed_out = attempt.timed_out,
                      .interrupted = attempt.interrupted,
                      .no_room = !is_well && ran_out_of_room(folder_.path(), folder_.output(cell.id))};
  CellState state = states_[attempt.cell];
  state.ended = utc_now();
  state = state_after(std::move(state), ending, run_folder(attempt.cell), folder_.output(cell.id));
  if (state.result)
    state.result->measures[Measure::kWallTime] =
        std::chrono::duration<double, std::nano>(Clock::now() - attempt.began).count();
  const Status status = state.status;
  keep(attempt.cell, std::move(state));
  if (ending.no_room && status == Status::kLost)
    stop(GridEnd::kNoRoom, 0, "a cell found no space left on the disk");
  if (status == Status::kOutOfMemory && plan_.limits.on_oom == After::kStop) stop(GridEnd::kStopped, 0, "");
  if (status == Status::kFailed && plan_.limits.on_fail == After::kStop) stop(GridEnd::kStopped, 0, "");
}

void Runner::look_at_time() {
  const auto now = Clock::now();
  for (auto& [pid, attempt] : running_) {
    const bool told = attempt.timed_out || attempt.interrupted;
    if (!told && plan_.limits.timeout && now - attempt.began > *plan_.limits.timeout) {
      attempt.timed_out = true;
      attempt.told = now;
      processes_.tell(pid, SIGTERM);
    } else if (told && !attempt.killed && now - attempt.told > kGrace) {
      attempt.killed = true;
      processes_.tell(pid, SIGKILL);
    }
  }
}

// Cells that run are asked to end; the second time they are ended.
void Runner::stop(GridEnd end, int signal, std::string message) {
  const bool again = stopping_;
  if (!again) outcome_ = {.end = end, .signal = signal, .message = std::move(message)};
  stopping_ = true;
  // When only stopping, running cells may finish.
  if (end == GridEnd::kStopped) return;
  for (auto& [pid, attempt] : running_) {
    if (again && signal != 0) {
      attempt.killed = true;
      processes_.tell(pid, SIGKILL);
    } else if (!attempt.interrupted) {
      attempt.interrupted = true;
      attempt.told = Clock::now();
      processes_.tell(pid, SIGTERM);
    }
  }
}

// If the state cannot be written it still holds: a resumed grid finds it in the run's own folder.
void Runner::keep(std::size_t index, CellState state) {
  const Cell& cell = plan_.cells[index];
  states_[index] = std::move(state);
  try {
    folder_.write_state(cell.id, states_[index]);
  } catch (const WriteError& error) {
    stop(GridEnd::kNoRoom, 0, error.what());
  }
  watcher_.ended(cell, states_[index]);
}

std::filesystem::path Runner::run_folder(std::size_t cell) const {
  return folder_.run(plan_.cells[cell].id, states_[cell].attempt);
}

}  // namespace strata::grid
