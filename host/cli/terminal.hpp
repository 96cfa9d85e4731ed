// SPDX-License-Identifier: Apache-2.0
// What standard output and standard error are connected to.
#pragma once

#include <string_view>

namespace strata::cli {

// A terminal that moves its cursor: not a file, a pipe or TERM=dumb.
bool is_terminal(int descriptor);

// A terminal, with NO_COLOR (no-color.org) unset.
bool wants_colour(int descriptor);

// Columns of the terminal; otherwise the value of COLUMNS, or 120.
int columns(int descriptor);

// Prints `text` to standard error. Errors are ignored.
void complain(std::string_view text);

// Prints one line to standard error, after "strata: ".
void say(std::string_view line);

// From now on after "strata: <who>: ", for one of several processes that share a terminal.
void speak_as(std::string_view who);

// Prints `text` to standard output. Throws std::runtime_error if it cannot be written (a full disk, a closed
// pipe).
void print(std::string_view text);

}  // namespace strata::cli
