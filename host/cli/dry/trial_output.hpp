// SPDX-License-Identifier: Apache-2.0
// Handles the output of trials on a dry GPU, and their reports.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::cli {

// Ctrl-C or SIGTERM during a trial. `exit_code` is 128 + the signal.
class TrialInterrupted : public std::runtime_error {
 public:
  explicit TrialInterrupted(int exit_code);
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

// Throws TrialInterrupted if the `exit_code` of a trial means that it was interrupted.
void throw_if_interrupted(int exit_code);

// Redirects this process's standard output and error to a file, because the output of a trial that runs out
// of memory is not wanted. Throws std::system_error.
void redirect_output(const std::filesystem::path& file);

// The last non-empty lines of that file, at most `lines`, without Strata's own prefix.
std::string last_lines(const std::filesystem::path& file, std::size_t lines);

// `fits`: the trial ran to its end.
what_if::TrialReport trial_report(const analysis::MemoryFacts& facts, bool fits);

}  // namespace strata::cli
