// SPDX-License-Identifier: Apache-2.0
// The parts of the terminal report that are tables and bars. Each returns whole lines of at most `width`
// columns.
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

// Mean, min, median and max a category, in MiB. Where the width allows it the categories are columns, as in
// published tables; else they are rows.
std::string category_table(const analysis::Facts& facts, const TerminalStyle& style);

// What fills that moment: a bar a category that holds something, and Unknown always.
std::string category_bars(const analysis::Peak& peak, const TerminalStyle& style);

// The same with the largest first, and those below half a percent in one row.
std::string largest_categories(const analysis::Peak& peak, const TerminalStyle& style);

// The largest of "what is alive at the peak, by ...", of so many bytes in all, and a line for the rest.
std::string share_table(std::string_view heading, const std::vector<analysis::PeakShare>& shares,
                        std::uint64_t allocated_bytes, const TerminalStyle& style);

// The largest allocations alive at the peak, each with its owner or else its op, its layer, and
// below it where it comes from, if it has a stack.
std::string block_table(const analysis::Facts& facts, analysis::StackView& stacks,
                        const TerminalStyle& style);

}  // namespace strata::report
