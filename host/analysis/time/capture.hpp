// SPDX-License-Identifier: Apache-2.0
// Whether device activities were recorded completely, as reported by the source cupti for each window.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/time_rows.hpp"

namespace strata::analysis {

// The missing records and their effect on the tables, one sentence for each incomplete window.
std::vector<std::string> capture_warnings(const std::vector<Capture>& captures);

}  // namespace strata::analysis
