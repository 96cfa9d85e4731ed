// SPDX-License-Identifier: Apache-2.0
// The report of failed allocations.
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

// The first and the last one, with the memory alive then and the findings; empty if none failed.
std::string failures(const analysis::Facts& facts, analysis::StackView& stacks, const TerminalStyle& style);

// The texts about a failure for a page and the short report, in addition to the numbers.
struct FailureText {
  std::string asked;  // the request, its origin and time
  std::string room;   // allocated, reserved and free memory
  std::string note;   // why the memory alive is unknown; empty: it is known
};
FailureText failure_text(const analysis::Facts& facts, const analysis::OutOfMemory& failure);

// "What the recording shows" with the first few findings, in lines for a terminal; empty if there are none.
std::string finding_lines(const std::vector<analysis::Finding>& findings, std::size_t most,
                          const TerminalStyle& style);

}  // namespace strata::report
