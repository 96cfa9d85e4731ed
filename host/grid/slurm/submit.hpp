// SPDX-License-Identifier: Apache-2.0
// Cells are handed to Slurm.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/grid/slurm/script.hpp"
#include "host/grid/slurm/submission.hpp"

namespace strata::grid {

// Slurm did not do what it was asked; the message has its words.
class SlurmError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The cluster's MaxArraySize, as scontrol tells it. Throws SlurmError.
std::int64_t max_array_size();

// Writes the list and the scripts for these cells into a new slurm/<number> of the grid, and submits nothing.
// Throws WriteError.
Submission write_submission(const Plan& plan, std::vector<std::string> ids, std::int64_t max_array_size,
                            const ScriptPaths& paths);

// Hands the scripts to sbatch. With a throttle each array waits for the one before, so that it holds for all
// of them. Each job is noted as soon as it has a number; throws SlurmError, and what was submitted stays.
void submit(Submission& submission, const Plan& plan);

}  // namespace strata::grid
