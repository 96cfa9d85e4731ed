// SPDX-License-Identifier: Apache-2.0
// A run on one screen: what `strata exec` prints when the program ends.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// Of `short_report` in a terminal of 80 columns; names that are long may take more. With the lines that
// `strata exec` prints around it, it is one screen of 30.
inline constexpr std::size_t kShortReportLines = 26;

// The peak, or what memory ran out for; what it was, where, why at that moment, and what to do next. Each
// fact stands once; times only where they were measured. `run`: its folder as a command takes it. Colours,
// widths and names as in terminal_report.
std::string short_report(const analysis::Facts& facts, const std::string& run, bool colour, int width);

// The run in one line: its peak and what most of it is, or what is wrong. At most `width` columns, ended.
std::string verdict_line(const analysis::Facts& facts, bool colour, int width);

}  // namespace strata::report
