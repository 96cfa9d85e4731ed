// SPDX-License-Identifier: Apache-2.0
// Ranks side by side, for a terminal. Each function returns whole lines of at most the style's width.
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// A row a rank: its peak, its steps, and what it waits. Of many ranks those that stand out, and a line for
// the others.
std::string rank_table(const analysis::JobFacts& job, const TerminalStyle& style);

// What each rank's own peak is made of. Of more than five ranks the least, the middle and the most.
std::string rank_categories(const analysis::JobFacts& job, const TerminalStyle& style);

}  // namespace strata::report
