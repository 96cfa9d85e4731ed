// SPDX-License-Identifier: Apache-2.0
// Tables of ranks for a terminal. Each function returns whole lines of at most the style's width.
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// One row per rank: its peak, its steps, and its waiting time. If there are many ranks, only the notable
// ones, and a line for the others.
std::string rank_table(const analysis::JobFacts& job, const TerminalStyle& style);

// The categories of each rank's own peak. If there are more than five ranks, the minimum, median and maximum.
std::string rank_categories(const analysis::JobFacts& job, const TerminalStyle& style);

}  // namespace strata::report
