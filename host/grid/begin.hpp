// SPDX-License-Identifier: Apache-2.0
// Determines the remaining work in a grid's folder: after a first start, a kill, a reboot, or a change of the
// grid's file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/grid/grid_folder.hpp"
#include "host/grid/slurm/queue.hpp"

namespace strata::grid {

// For one cell; the caller holds its lock (`FolderLock::take` of its folder). Writes nothing.
CellState settled_state(const GridFolder& folder, const std::string& id);

// The states of the plan's cells. Cells whose runner died are settled from what they left, or are lost. Cells
// run by their own process, here or as a job of `queue` elsewhere, are running; for a job also if the queue
// is unknown. Writes the settled states. The caller holds the folder's lock.
std::vector<CellState> settled_states(const GridFolder& folder, const Plan& plan, const Queue& queue = {});

// The same without a lock and without writing, for read-only commands. `held`: a grid is running there.
std::vector<CellState> states_as_seen(const GridFolder& folder, const Plan& plan, bool held,
                                      const Queue& queue = {});

// Of finished cells, these are run again when a grid is resumed: out of memory is a result, and so are the
// cells skipped because of it.
inline const std::vector<Status> kGoesOn{Status::kPlanned, Status::kLost, Status::kFailed, Status::kTimeout};

// Resets them to planned, and returns how many. Of finished ones, only those with a status in `again`.
std::size_t plan_again(std::vector<CellState>& states, const std::vector<Status>& again);

struct PlanChange {
  std::size_t kept = 0, added = 0, removed = 0;
};

PlanChange change_between(const Plan& before, const Plan& after);

}  // namespace strata::grid
