// SPDX-License-Identifier: Apache-2.0
// One submission of cells to Slurm, stored in slurm/<number> in the grid's folder: the list of cells, the
// scripts, and the resulting jobs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace strata::grid {

// An array of tasks 0 to tasks - 1; task i runs the cells of the list from index (i + offset) * pack.
struct ArrayJob {
  std::string job;  // its number; empty: not submitted
  std::int64_t offset = 0;
  std::int64_t tasks = 0;
};

struct Submission {
  std::filesystem::path folder;
  std::vector<std::string> ids;  // of cells
  std::int64_t pack = 1;
  std::vector<ArrayJob> arrays;
  std::string collector;  // the job that writes the report; empty: not submitted

  std::filesystem::path list() const { return folder / "cells.txt"; }
  std::filesystem::path array_script(std::size_t array) const;
  std::filesystem::path collector_script() const { return folder / "collect.sh"; }
};

// The smallest number of arrays for `ids`, each with at most `max_array_size` tasks.
Submission divided(std::filesystem::path folder, std::vector<std::string> ids, std::int64_t pack,
                   std::int64_t max_array_size);

// The job numbers, and the cells that they run. Throw WriteError.
void write_list(const Submission& submission);
void write_jobs(const Submission& submission);

// All submissions in a grid's folder, in order; unreadable ones are skipped.
std::vector<Submission> submissions_of(const std::filesystem::path& grid);
// Creates the folder of the next one, reserved for the caller. Throws WriteError.
std::filesystem::path begin_submission(const std::filesystem::path& grid);

// The cells of one task in the list. Throws std::runtime_error if there is no such list or task.
std::vector<std::string> cells_of_task(const std::filesystem::path& list, std::int64_t task,
                                       std::int64_t pack);

}  // namespace strata::grid
