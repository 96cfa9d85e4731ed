// SPDX-License-Identifier: Apache-2.0
// Why two runs may not be comparable.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// Why their times are not comparable; empty if they are.
std::string time_warning(const analysis::RunDiff& diff);

// Why other values may not be comparable.
std::vector<std::string> run_warnings(const analysis::RunDiff& diff);

// Both.
std::vector<std::string> warnings_of(const analysis::RunDiff& diff);

}  // namespace strata::report
