// SPDX-License-Identifier: Apache-2.0
// The tables and bars of the terminal report. Each function returns whole lines of at most `width` columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/peak.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// Mean, min, median and max of each category, in MiB. If they fit, categories are columns, as in published
// tables; else rows.
std::string category_table(const analysis::Facts& facts, const TerminalStyle& style);

// The memory at that moment: one bar for each non-empty category, and always for Unknown.
std::string category_bars(const analysis::Peak& peak, const TerminalStyle& style);

// The same, largest first, with those below half a percent in one row.
std::string largest_categories(const analysis::Peak& peak, const TerminalStyle& style);

// The largest entries of "alive at the peak, by ...", relative to the total, and a line for the rest.
std::string share_table(std::string_view heading, const std::vector<analysis::PeakShare>& shares,
                        std::uint64_t allocated_bytes, const TerminalStyle& style);

// The largest allocations alive at the peak, each with its owner or else its op, its layer, and on the next
// line its origin, if it has a stack.
std::string block_table(const analysis::Facts& facts, analysis::StackView& stacks,
                        const TerminalStyle& style);

}  // namespace strata::report
