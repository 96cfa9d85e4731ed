// SPDX-License-Identifier: Apache-2.0
// Where a run becomes steady, and why the steps before that are slower, on the terminal.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// "from step 3 on, median 12.1 ms (95%: 12.0 to 12.2 ms); 3 steps of warm-up took 431 ms more"; empty of a
// run with fewer than two steps.
std::string steady_sentence(const analysis::Facts& facts);

// A few lines for the report: what most of the warm-up's time went to. Empty in a run without the plugin
// warmup_analyzer, and where there was no warm-up.
std::string short_warm_up(const analysis::Facts& facts, const TerminalStyle& style);

// All of it: the steps' times drawn, and each slow step by cause.
std::string warm_up_report(const analysis::Facts& facts, bool colour, int width);

}  // namespace strata::report
