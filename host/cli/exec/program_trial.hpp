// SPDX-License-Identifier: Apache-2.0
// Some steps of a program of the user's own on a dry GPU, in processes of its own that leave nothing behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/dry/trial_output.hpp"
#include "host/fit/trial_report.hpp"

namespace strata::cli {

struct ProgramTrialRequest {
  std::vector<std::string> command;
  std::string device;      // the YAML's value of `device`: dry
  std::int64_t steps = 2;  // of each of its optimizers, after which a Python program is ended
};

// What runs the program to its end on the same card, for somebody who wants to look at it.
std::string program_trial_command(const ProgramTrialRequest& request);

// Of several processes the report of the one that needs most. Throws UsageError where the program cannot be
// started, std::runtime_error where it fails for anything but memory or takes none of the card's, and
// TrialInterrupted. This process must have no other thread.
fit::TrialReport run_program_trial(const ProgramTrialRequest& request);

}  // namespace strata::cli
