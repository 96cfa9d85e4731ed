// SPDX-License-Identifier: Apache-2.0
// One step of all ranks on a common clock, drawn with letters.
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// One row per shown rank (rank_choice.hpp), one letter per phase, dots for waiting; empty if no step has two
// ranks.
std::string rank_timeline(const analysis::JobFacts& job, const TerminalStyle& style);

}  // namespace strata::report
