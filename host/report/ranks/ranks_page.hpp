// SPDX-License-Identifier: Apache-2.0
// A comparison of all ranks of a job, as one page that opens offline.
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::report {

// Links to each rank's own report.html in the run's folder.
std::string ranks_page(const analysis::JobFacts& job);

}  // namespace strata::report
