// SPDX-License-Identifier: Apache-2.0
// The report of allocations that failed.
#pragma once

#include <string>

#include "host/report/terminal/terminal_tables.hpp"

namespace strata::report {

// The first and the last of them, with what filled the device and what would have left room; empty when none
// failed.
std::string failures(const analysis::Facts& facts, analysis::StackView& stacks, const TerminalStyle& style);

// One line: what was asked for, where, and what would have helped most.
std::string failure_sentence(const analysis::Facts& facts, const analysis::OutOfMemory& failure);

}  // namespace strata::report
