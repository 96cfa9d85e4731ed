// SPDX-License-Identifier: Apache-2.0
// Cells of a grid's folder are given to others to run: to Slurm, or as lines of commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/grid/begin.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/processes/folder_lock.hpp"

namespace strata::cli {

// The engine that `name` says, else the plan's own. Throws UsageError where there is none of that name.
grid::EngineKind chosen_engine(const std::string& name, const grid::Plan& plan);

// What is in Slurm's queue. Says on standard error where it cannot be asked.
grid::Queue query_queue(const grid::GridFolder& folder);

// The same for those who go by it: what is not in the queue may be started. Asked under the lock that keeps
// others from starting the same, since what it says is old as soon as they may. Throws grid::SlurmError where
// it cannot be asked.
grid::Queue cached_queue(const grid::GridFolder& folder);

// With the engine slurm, from before the queue is asked until all is submitted: the lock of slurm/, which one
// process has at a time. Throws UsageError that says who holds it.
std::optional<grid::FolderLock> lock_submissions(const grid::GridFolder& folder, grid::EngineKind engine);

// Throws UsageError that names the jobs: what they have yet to run nobody else is to start.
void require_no_jobs(const grid::Queue& queue, const grid::GridFolder& folder);

// The folder for this process alone. Throws UsageError that says who is at work in it: which jobs, where they
// are Slurm's.
grid::FolderLock lock_alone(const grid::GridFolder& folder);

// The folder while others run cells of it. Throws UsageError where a grid has it for itself.
grid::FolderLock share_grid(const grid::GridFolder& folder);

// Those that are planned, neither left out nor in the queue; their ids, in the plan's order.
std::vector<std::string> cells_to_hand_out(const grid::Plan& plan, const std::vector<grid::CellState>& states,
                                           const grid::Queue& queue,
                                           const std::vector<std::size_t>& left_out = {});

// One command a line; each runs a cell that has no result yet, and may be run anywhere that has the folder.
std::string manifest_lines(const grid::GridFolder& folder, const std::vector<std::string>& ids);

// Writes the scripts and prints their names.
int write_scripts(const grid::GridFolder& folder, const grid::Plan& plan, std::vector<std::string> ids);

// Makes planned again what is to be run though it has a result, hands `ids` out by the plan's engine, and
// prints the jobs, or the manifest. Returns the exit code. The folder is shared by the caller, who has its
// submissions' lock too.
int submit(const grid::GridFolder& folder, const grid::Plan& plan, const std::vector<grid::CellState>& states,
           const std::vector<std::string>& ids, bool submits);

}  // namespace strata::cli
