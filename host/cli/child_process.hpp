// SPDX-License-Identifier: Apache-2.0
// A program that is started, waited for, and whose end becomes our own.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata::cli {

// What env and timeout answer when a command never ran.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

// Once, before anything is started: an inherited SIGCHLD of SIG_IGN would have the system forget how it
// ended. What `run_program` starts inherits what was there.
void keep_ended_children();

// The file that `command` names: a path, or a name that is looked for in PATH as execvp does. Empty: none.
std::string find_program(const std::string& command);

// Starts `words` with these variables over our own environment and waits. SIGTERM, SIGHUP and SIGQUIT are
// passed on; Ctrl-C reaches the program by itself. Its exit code, 128 + the signal that ended it, or
// kNotExecutable with a line on standard error.
int run_program(const std::string& file, const std::vector<std::string>& words,
                const std::map<std::string, std::string>& variables);

}  // namespace strata::cli
