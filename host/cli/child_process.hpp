// SPDX-License-Identifier: Apache-2.0
// Starts a program, waits for it, and exits like it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata::cli {

// Exit codes of env and timeout for a command that could not be run.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

// Call once before anything is started: with an inherited SIGCHLD of SIG_IGN the system would discard exit
// statuses. Programs started by `run_program` inherit the original setting.
void keep_ended_children();

// The file named by `command`: a path, or a name searched in PATH as by execvp. Empty if there is none.
std::string find_program(const std::string& command);

// Starts `words` with these variables added to our own environment and waits. SIGTERM, SIGHUP and SIGQUIT are
// passed on; Ctrl-C reaches the program directly. Returns its exit code, 128 + the signal that ended it, or
// kNotExecutable with a line on standard error.
int run_program(const std::string& file, const std::vector<std::string>& words,
                const std::map<std::string, std::string>& variables);

}  // namespace strata::cli
