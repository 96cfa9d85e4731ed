// SPDX-License-Identifier: Apache-2.0
// The tasks of a grid that Slurm has not finished.
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
  std::string state;  // Slurm's name: PENDING, RUNNING...
};

struct Queue {
  std::map<std::string, QueuedTask> by_cell;  // by the cell's id
  // Why Slurm could not be queried; empty if it answered, or if the grid was never submitted. Otherwise the
  // queue is unknown, not empty.
  std::string problem;
  bool is_known() const { return problem.empty(); }
};

// Queries squeue if the grid was ever submitted.
Queue queue_of(const std::filesystem::path& grid);

// From the output of `squeue --array --format=%F|%K|%T`: array job, index, state.
std::map<std::string, QueuedTask> queued_cells(std::string_view squeue,
                                               const std::vector<Submission>& submissions);

}  // namespace strata::grid
