// SPDX-License-Identifier: Apache-2.0
// Hands cells of a grid's folder to other engines: to Slurm, or as lines of commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/grid/begin.hpp"
#include "host/grid/folder_lock.hpp"
#include "host/grid/grid_folder.hpp"

namespace strata::cli {

// The engine called `name`, or if empty the plan's own. Throws UsageError if there is no such engine.
grid::EngineKind chosen_engine(const std::string& name, const grid::Plan& plan);

// The contents of Slurm's queue. Prints a message on standard error if it cannot be queried.
grid::Queue query_queue(const grid::GridFolder& folder);

// The same for callers that start whatever is not in the queue. Call it under the lock that prevents others
// from starting the same cells, because the answer would otherwise be outdated at once. Throws
// grid::SlurmError if the queue cannot be queried.
grid::Queue cached_queue(const grid::GridFolder& folder);

// With the engine slurm: held from before the queue is queried until everything is submitted. This is the
// lock of slurm/, for one process at a time. Throws UsageError that names the holder.
std::optional<grid::FolderLock> lock_submissions(const grid::GridFolder& folder, grid::EngineKind engine);

// Throws UsageError that names the jobs: cells that they have yet to run must not be started elsewhere.
void require_no_jobs(const grid::Queue& queue, const grid::GridFolder& folder);

// Locks the folder exclusively. Throws UsageError that names the current user of the folder, including Slurm
// jobs.
grid::FolderLock lock_alone(const grid::GridFolder& folder);

// Locks the folder while others run cells of it. Throws UsageError if a grid has locked it exclusively.
grid::FolderLock share_grid(const grid::GridFolder& folder);

// The ids of cells that are planned, neither omitted nor in the queue, in the plan's order.
std::vector<std::string> cells_to_hand_out(const grid::Plan& plan, const std::vector<grid::CellState>& states,
                                           const grid::Queue& queue,
                                           const std::vector<std::size_t>& left_out = {});

// One command per line. Each runs a cell that has no result yet, on any machine with access to the folder.
std::string manifest_lines(const grid::GridFolder& folder, const std::vector<std::string>& ids);

// Writes the scripts and prints their names.
int write_scripts(const grid::GridFolder& folder, const grid::Plan& plan, std::vector<std::string> ids);

// Resets cells to planned that must run again despite a result, hands `ids` to the plan's engine, and prints
// the jobs or the manifest. Returns the exit code. The caller holds the shared lock of the folder and the
// lock of its submissions.
int submit(const grid::GridFolder& folder, const grid::Plan& plan, const std::vector<grid::CellState>& states,
           const std::vector<std::string>& ids, bool submits);

}  // namespace strata::cli
