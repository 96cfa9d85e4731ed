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

// One indented line: the function from which the event's memory originates, and its place in the source.
// Empty if the event has no stack, or none with a name.
std::string origin_line(analysis::StackView& view, const analysis::Facts& facts, std::uint64_t sequence,
                        int indent, const TerminalStyle& style);

// One line per frame, innermost first, up to a limit; then a line with the number of omitted ones. Empty
// without a stack.
std::string stack_lines(analysis::StackView& view, const analysis::Facts& facts, std::uint64_t sequence,
                        std::size_t most_frames, int indent, const TerminalStyle& style);

// The `count` largest stacks alive at the peak, each complete; a message if the run has none.
std::string stacks_at_peak(const analysis::Facts& facts, std::size_t count, bool colour, int width);

}  // namespace strata::report
