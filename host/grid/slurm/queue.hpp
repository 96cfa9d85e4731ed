// SPDX-License-Identifier: Apache-2.0
// What Slurm still has of a grid.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/grid/slurm/submission.hpp"

namespace strata::grid {

struct QueuedTask {
  std::string job;    // "12_3"
  std::string state;  // Slurm's word: PENDING, RUNNING...
};

struct Queue {
  std::map<std::string, QueuedTask> by_cell;  // by the cell's id
  // Why Slurm could not be asked; empty: it answered, or was never given any of the grid. What it has is
  // unknown then, and not nothing.
  std::string problem;
  bool is_known() const { return problem.empty(); }
};

// Asks squeue, where the grid was ever submitted.
Queue queue_of(const std::filesystem::path& grid);

// From what `squeue --array --format=%F|%K|%T` says: array job, index, state.
std::map<std::string, QueuedTask> queued_cells(std::string_view squeue,
                                               const std::vector<Submission>& submissions);

}  // namespace strata::grid
