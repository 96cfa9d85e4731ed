// SPDX-License-Identifier: Apache-2.0
// All ranks of a job on a terminal.
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::report {

// Whole lines of at most `width` columns, but at least 80.
std::string rank_report(const analysis::JobFacts& job, bool colour, int width);

}  // namespace strata::report
