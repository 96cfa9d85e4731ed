// SPDX-License-Identifier: Apache-2.0
// The checks of a run, on the terminal.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// The result of each requested check, followed by its first error.
std::string check_lines(const analysis::Facts& facts, const TerminalStyle& style);

// Only failed checks.
std::string failed_checks(const analysis::Facts& facts, const TerminalStyle& style);

// Why there is no memory table.
std::string no_memory(const analysis::Facts& facts, const TerminalStyle& style);

}  // namespace strata::report
