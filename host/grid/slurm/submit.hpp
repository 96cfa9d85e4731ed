// SPDX-License-Identifier: Apache-2.0
// Submits cells to Slurm.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/grid/slurm/script.hpp"
#include "host/grid/slurm/submission.hpp"

namespace strata::grid {

// A Slurm command failed; the message contains its output.
class SlurmError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The cluster's MaxArraySize, from scontrol. Throws SlurmError.
std::int64_t max_array_size();

// Writes the list and the scripts for these cells to a new slurm/<number> of the grid, without submitting.
// Throws WriteError.
Submission write_submission(const Plan& plan, std::vector<std::string> ids, std::int64_t max_array_size,
                            const ScriptPaths& paths);

// Passes the scripts to sbatch. With a throttle each array waits for the previous one, so that it applies to
// all of them. Each job is stored as soon as it has a number; after a SlurmError, submitted jobs remain.
void submit(Submission& submission, const Plan& plan);

}  // namespace strata::grid
