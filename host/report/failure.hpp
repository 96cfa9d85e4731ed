// SPDX-License-Identifier: Apache-2.0
// The report of allocations that failed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/report/terminal/terminal_tables.hpp"

namespace strata::report {

// "; not enough by itself", "; may not be enough by itself", or empty. `joint`: "; "; `not_enough`: "not", in
// a sentence "is not".
std::string verdict(const analysis::Remedy& remedy, std::string_view joint, std::string_view not_enough);

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
