// SPDX-License-Identifier: Apache-2.0
// `strata grid status`: the status of each cell.
#pragma once

#include <string>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/plan/plan.hpp"
#include "host/grid/slurm/queue.hpp"

namespace strata::grid {

// strata.grid-status/1: `cells`, each with `id`, `status`, `settings`, `attempt`, `reason` and `measures`,
// and `counts` by status. `queue` is the Slurm state of the cell's task, or null if there is none.
std::string status_json(const Plan& plan, const std::vector<CellState>& states, const Queue& queue = {});

}  // namespace strata::grid
