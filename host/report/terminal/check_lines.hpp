// SPDX-License-Identifier: Apache-2.0
// What a run was checked against, on the terminal.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// What each check that was asked for found, and below it the first thing that is wrong.
std::string check_lines(const analysis::Facts& facts, const TerminalStyle& style);

// Of those that do not hold alone.
std::string failed_checks(const analysis::Facts& facts, const TerminalStyle& style);

// Why there is no table of memory.
std::string no_memory(const analysis::Facts& facts, const TerminalStyle& style);

}  // namespace strata::report
