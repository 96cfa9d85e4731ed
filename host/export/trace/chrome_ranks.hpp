// SPDX-License-Identifier: Apache-2.0
// All ranks of a job as one trace of Chrome's format: a process a rank, on one clock.
#pragma once

#include "host/analysis/ranks/job_facts.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

// Reads the ranks of `job` again, one after the other. Times are microseconds since the first of them began,
// on the first one's clock; what was lost and how the clocks were brought together stands in `otherData`.
// Throws as analyse does.
void write_chrome_ranks(const analysis::JobFacts& job, Output& output, const Progress& progress = {});

}  // namespace strata::exports
