// SPDX-License-Identifier: Apache-2.0
// Stacks of allocations on the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// One line, indented: the function that the event's memory comes from, and its place in the source. Empty
// where the event has no stack, or none with a name.
std::string origin_line(analysis::StackView& view, const analysis::Facts& facts, std::uint64_t sequence,
                        int indent, const TerminalStyle& style);

// A line a frame, the innermost first and at most so many; then one that says how many are left out. Empty
// without a stack.
std::string stack_lines(analysis::StackView& view, const analysis::Facts& facts, std::uint64_t sequence,
                        std::size_t most_frames, int indent, const TerminalStyle& style);

// The `count` largest stacks of what is alive at the peak, each whole; says so where a run has none.
std::string stacks_at_peak(const analysis::Facts& facts, std::size_t count, bool colour, int width);

}  // namespace strata::report
