// SPDX-License-Identifier: Apache-2.0
// A report on one screen, printed by `strata exec` when the program ends.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// The length of `short_report` on a terminal of 80 columns; long names may need more. With the other lines of
// `strata exec` it fits a screen of 30 lines.
inline constexpr std::size_t kShortReportLines = 26;

// The peak, or the failed allocation; its memory, its position, the reason, and the next step. Each fact is
// stated once; times only if they were measured. `run`: its folder as a command argument. Colours, widths and
// names as in terminal_report.
std::string short_report(const analysis::Facts& facts, const std::string& run, bool colour, int width);

// The run in one line: its peak and main category, or the problem. At most `width` columns, with a newline.
std::string verdict_line(const analysis::Facts& facts, bool colour, int width);

}  // namespace strata::report
