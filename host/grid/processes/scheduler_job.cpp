// SPDX-License-Identifier: Apache-2.0
#include "host/grid/processes/scheduler_job.hpp"

#include <cstdlib>

namespace strata::grid {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string this_job() {
  const std::string array = variable("SLURM_ARRAY_JOB_ID"), task = variable("SLURM_ARRAY_TASK_ID");
  if (!array.empty() && !task.empty()) return array + '_' + task;
  if (std::string job = variable("SLURM_JOB_ID"); !job.empty()) return job;
  return variable("FLUX_JOB_ID");
}

}  // namespace strata::grid
