// SPDX-License-Identifier: Apache-2.0
// The report of allocations that failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/failure.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// The first and the last of them, with what filled the device and what the recording proves of it; empty when
// none failed.
std::string failures(const analysis::Facts& facts, analysis::StackView& stacks, const TerminalStyle& style);

// What a page and the short report say of one, beside its numbers.
struct FailureText {
  std::string asked;  // what was asked for, by what and when
  std::string room;   // what was allocated, reserved and left
  std::string note;   // why no more is known of what was there; empty: it is known
};
FailureText failure_text(const analysis::Facts& facts, const analysis::OutOfMemory& failure);

// "What the recording shows" with the first few findings, in lines of a terminal; empty of none.
std::string finding_lines(const std::vector<analysis::Finding>& findings, std::size_t most,
                          const TerminalStyle& style);

}  // namespace strata::report
