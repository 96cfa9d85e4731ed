// SPDX-License-Identifier: Apache-2.0
// One step of all ranks on one clock, drawn with letters.
#pragma once

#include <string>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// A row a rank that is shown (rank_choice.hpp), a letter a phase, a dot where it waits; empty where no step
// has two ranks.
std::string rank_timeline(const analysis::JobFacts& job, const TerminalStyle& style);

}  // namespace strata::report
