// SPDX-License-Identifier: Apache-2.0
// A run's facts as text: what `strata run` and `strata report` print when they end.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// UTF-8 text in lines of at most `width` columns, the last one ended. `colour` adds ANSI colours, and nothing
// else. Names come from a stranger's program: control characters (escape sequences among them) and invalid
// UTF-8 in them are replaced, long ones are cut in the middle. Any thread.
std::string terminal_report(const analysis::Facts& facts, bool colour, int width);

}  // namespace strata::report
