// SPDX-License-Identifier: Apache-2.0
// What is left to do in a grid's folder: after a first start, a kill, a reboot, or a change of the grid's
// file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/grid/grid_folder.hpp"
#include "host/grid/slurm/queue.hpp"

namespace strata::grid {

// Of one cell, whose own lock (`FolderLock::take` of its folder) is held by the caller. Writes nothing.
CellState settled_state(const GridFolder& folder, const std::string& id);

// The states of the plan's cells: what died with its runner is taken from what it left, or is lost. Those
// that a process of their own runs, here or as a job of `queue` elsewhere, are running; as a job also where
// the queue is unknown. Writes what it found out. The folder's lock is held by the caller.
std::vector<CellState> settled_states(const GridFolder& folder, const Plan& plan, const Queue& queue = {});

// The same without a lock and without writing, for those who only look. `held`: a grid is at work there.
std::vector<CellState> states_as_seen(const GridFolder& folder, const Plan& plan, bool held,
                                      const Queue& queue = {});

// Of what is over, these are run again when a grid goes on: out of memory is a result, and so is what it
// skipped.
inline const std::vector<Status> kGoesOn{Status::kPlanned, Status::kLost, Status::kFailed, Status::kTimeout};

// Makes them planned again, and returns how many. Of those over, only those whose status is in `again`.
std::size_t plan_again(std::vector<CellState>& states, const std::vector<Status>& again);

struct PlanChange {
  std::size_t kept = 0, added = 0, removed = 0;
};

PlanChange change_between(const Plan& before, const Plan& after);

}  // namespace strata::grid
