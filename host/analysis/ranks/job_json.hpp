// SPDX-License-Identifier: Apache-2.0
// The comparison of ranks as JSON, "strata.ranks/1" (docs/ranks.md).
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::analysis {

std::string ranks_document(const JobFacts& job);

}  // namespace strata::analysis
