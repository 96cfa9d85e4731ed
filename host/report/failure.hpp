// SPDX-License-Identifier: Apache-2.0
// The report of allocations that failed.
#pragma once

#include <string>
#include <vector>

#include "host/report/terminal/terminal_tables.hpp"

namespace strata::report {

// The first and the last of them, with what filled the device and what would have left room; empty when none
// failed.
std::string failures(const analysis::Facts& facts, analysis::StackView& stacks, const TerminalStyle& style);

// The same in sentences, for a page.
struct FailureText {
  std::string what;                   // was asked for, where, and what room there was
  std::vector<std::string> remedies;  // what would have left room: what is enough first
  std::string need;                   // how to know what it takes in all; empty where nothing tells
};
FailureText failure_text(const analysis::Facts& facts, const analysis::OutOfMemory& failure);

}  // namespace strata::report
