// SPDX-License-Identifier: Apache-2.0
// The batch scripts for sbatch.
#pragma once

#include <filesystem>
#include <string>

#include "host/grid/plan/plan.hpp"
#include "host/grid/slurm/submission.hpp"

namespace strata::grid {

struct ScriptPaths {
  std::filesystem::path program;  // strata
  std::filesystem::path grid;
};

// Runs the cells of one array. The program replaces the shell, so that Slurm's signals reach it.
std::string array_script(const Plan& plan, const Submission& submission, const ArrayJob& array,
                         const ScriptPaths& paths);

// Writes the grid's report after all tasks have ended.
std::string collector_script(const Plan& plan, const Submission& submission, const ScriptPaths& paths);

}  // namespace strata::grid
