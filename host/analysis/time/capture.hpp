// SPDX-License-Identifier: Apache-2.0
// Whether what devices did was recorded whole: what the source cupti says of each window.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/time_rows.hpp"

namespace strata::analysis {

// What is missing, and what that does to the tables, in a sentence for each window that lacks anything.
std::vector<std::string> capture_warnings(const std::vector<Capture>& captures);

}  // namespace strata::analysis
