// SPDX-License-Identifier: Apache-2.0
// Why two runs may not be comparable.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// Of their times; empty where they are comparable.
std::string time_warning(const analysis::RunDiff& diff);

// Of everything else.
std::vector<std::string> run_warnings(const analysis::RunDiff& diff);

// Both.
std::vector<std::string> warnings_of(const analysis::RunDiff& diff);

}  // namespace strata::report
