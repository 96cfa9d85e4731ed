// SPDX-License-Identifier: Apache-2.0
// What every trial on a dry GPU does with its output, and what it reports.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::cli {

// The user's Ctrl-C, or a SIGTERM, while a trial ran. `exit_code` is 128 + the signal.
class TrialInterrupted : public std::runtime_error {
 public:
  explicit TrialInterrupted(int exit_code);
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

// Throws TrialInterrupted where a trial that ended with `exit_code` was interrupted.
void throw_if_interrupted(int exit_code);

// This process's standard output and error, into a file: of a trial that runs out of memory nobody wants to
// hear. Throws std::system_error.
void redirect_output(const std::filesystem::path& file);

// The last lines of that file that are not empty, at most `lines`, without Strata's own prefix.
std::string last_lines(const std::filesystem::path& file, std::size_t lines);

// `fits`: the trial came to its end.
what_if::TrialReport trial_report(const analysis::MemoryFacts& facts, bool fits);

}  // namespace strata::cli
