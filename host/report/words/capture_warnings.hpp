// SPDX-License-Identifier: Apache-2.0
// Whether device activities were recorded completely, as reported by the source cupti for each window.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/time_rows.hpp"

namespace strata::report {

// For each window: why nothing was recorded, and what is missing, with the effect on the tables.
std::vector<std::string> capture_warnings(const std::vector<analysis::Capture>& captures);

// Only what is missing of what was recorded.
std::vector<std::string> incomplete_captures(const std::vector<analysis::Capture>& captures);

}  // namespace strata::report
