// SPDX-License-Identifier: Apache-2.0
#include "host/grid/begin.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "host/grid/folder_lock.hpp"
#include "host/grid/outcome.hpp"

namespace strata::grid {
namespace {

bool was_cut_short(const CellState& state) {
  return state.status == Status::kRunning || (state.status == Status::kLost && state.attempt > 0);
}

CellState settled(const GridFolder& folder, const std::string& id, CellState state) {
  if (!was_cut_short(state)) return state;
  if (auto finished = state_left_behind(state, folder.run(id, state.attempt))) return *std::move(finished);
  if (state.status == Status::kRunning) {
    state.status = Status::kLost;
    state.reason = state.job.empty() ? "the grid's process ended while the cell was running"
                                     : "its job " + state.job + " ended without reporting a result";
  }
  return state;
}

// According to Slurm, or if it cannot be queried; another machine's lock may be invisible.
bool runs_as_job(const CellState& state, const std::string& id, const Queue& queue) {
  if (!queue.is_known()) return state.status == Status::kRunning && !state.job.empty();
  const auto task = queue.by_cell.find(id);
  return state.status == Status::kRunning && task != queue.by_cell.end() && task->second.state != "PENDING" &&
         task->second.job == state.job;
}

}  // namespace

CellState settled_state(const GridFolder& folder, const std::string& id) {
  return settled(folder, id, folder.read_state(id));
}

std::vector<CellState> settled_states(const GridFolder& folder, const Plan& plan, const Queue& queue) {
  std::vector<CellState> states;
  for (const Cell& cell : plan.cells) {
    states.push_back(folder.read_state(cell.id));
    if (!was_cut_short(states.back()) || runs_as_job(states.back(), cell.id, queue)) continue;
    const auto claim = FolderLock::take(folder.cell(cell.id));
    // Its runner may have finished before it released the lock.
    const CellState before = folder.read_state(cell.id);
    states.back() = claim ? settled(folder, cell.id, before) : before;
    if (states.back().status != before.status) folder.write_state(cell.id, states.back());
  }
  return states;
}

std::vector<CellState> states_as_seen(const GridFolder& folder, const Plan& plan, bool held,
                                      const Queue& queue) {
  std::vector<CellState> states;
  for (const Cell& cell : plan.cells) {
    states.push_back(folder.read_state(cell.id));
    if (held || !was_cut_short(states.back()) || runs_as_job(states.back(), cell.id, queue)) continue;
    const bool claimed = !FolderLock::holder(folder.cell(cell.id)).empty();
    CellState now = folder.read_state(cell.id);
    states.back() = claimed ? std::move(now) : settled(folder, cell.id, std::move(now));
  }
  return states;
}

std::size_t plan_again(std::vector<CellState>& states, const std::vector<Status>& again) {
  std::size_t count = 0;
  for (CellState& state : states) {
    if (std::ranges::find(again, state.status) == again.end()) continue;
    state.plan_again();
    ++count;
  }
  return count;
}

PlanChange change_between(const Plan& before, const Plan& after) {
  std::set<std::string> old_ids, new_ids;
  for (const Cell& cell : before.cells) old_ids.insert(cell.id);
  for (const Cell& cell : after.cells) new_ids.insert(cell.id);
  PlanChange change;
  for (const std::string& id : new_ids) ++(old_ids.contains(id) ? change.kept : change.added);
  for (const std::string& id : old_ids) change.removed += new_ids.contains(id) ? 0 : 1;
  return change;
}

}  // namespace strata::grid
