// SPDX-License-Identifier: Apache-2.0
// Exports all ranks of a job as one trace in Chrome's format: one process per rank, with a common clock.
#pragma once

#include "host/analysis/ranks/job_facts.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

// Reads the ranks of `job` again, one after the other. Times are in microseconds since the first rank began,
// on its clock. `otherData` lists lost ranks and how the clocks were related. Throws like analyse.
void write_chrome_ranks(const analysis::JobFacts& job, Output& output, const Progress& progress = {});

}  // namespace strata::exports
