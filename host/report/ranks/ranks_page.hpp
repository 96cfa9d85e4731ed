// SPDX-License-Identifier: Apache-2.0
// All ranks of a job side by side, as one page that opens offline.
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::report {

// Links to each rank's own report.html, as they lie in the run's folder.
std::string ranks_page(const analysis::JobFacts& job);

}  // namespace strata::report
