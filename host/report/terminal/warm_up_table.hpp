// SPDX-License-Identifier: Apache-2.0
// The first steady step of a run, and why earlier steps are slower, on the terminal.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// "from step 3 on, median 12.1 ms (95%: 12.0 to 12.2 ms); 3 steps of warm-up took 431 ms more"; empty for
// fewer than two steps.
std::string steady_sentence(const analysis::Facts& facts);

// A few lines for the report: the main causes of warm-up time. Empty without the plugin warmup_analyzer, and
// without a warm-up.
std::string short_warm_up(const analysis::Facts& facts, const TerminalStyle& style);

// Everything: the drawing of the steps' times, and the causes of each slow step.
std::string warm_up_report(const analysis::Facts& facts, bool colour, int width);

}  // namespace strata::report
