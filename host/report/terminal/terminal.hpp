// SPDX-License-Identifier: Apache-2.0
// A run's facts as text, printed by `strata run` and `strata report`.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// UTF-8 text in lines of at most `width` columns, with a final newline. `colour` only adds ANSI colours.
// Names are untrusted: control characters (including escape sequences) and invalid UTF-8 are replaced, and
// long names are cut in the middle. Any thread.
std::string terminal_report(const analysis::Facts& facts, bool colour, int width);

}  // namespace strata::report
