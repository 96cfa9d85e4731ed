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

// What a page and the short report say of one, beside its numbers.
struct FailureText {
  std::string asked;    // what was asked for, by what and when
  std::string room;     // what was allocated, reserved and left
  std::string to_come;  // what the program would have asked for behind that; empty where nothing tells
  std::string need;     // how to know what it takes in all; empty where nothing tells
};
FailureText failure_text(const analysis::Facts& facts, const analysis::OutOfMemory& failure);

}  // namespace strata::report
