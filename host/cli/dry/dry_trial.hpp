// SPDX-License-Identifier: Apache-2.0
// A few steps of a training on a dry GPU, in a process of its own that leaves nothing behind: what it needs
// of the device's memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/cli/dry/trial_output.hpp"
#include "host/config/run_config.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::cli {

struct TrialRequest {
  std::filesystem::path config;
  std::vector<std::string> overrides;  // the user's, then the trial's own, which win
  std::string device;                  // the YAML's value of `device`: dry
  std::string allocator_settings;      // for PYTORCH_CUDA_ALLOC_CONF; empty: as the environment has it
  std::int64_t steps = 3;
  bool first_rank_alone = false;  // of several, which all need the same
  bool saves = false;             // checkpoints, which a trial does not
};

// The device of a configuration's trials: `own`, the configuration's, with the card of that name in its place
// and, unless it is empty, with `memory`, as --device-memory has it. Throws UsageError and
// config::ConfigError.
config::DeviceConfig trial_device(const config::DeviceConfig& own, const std::string& name,
                                  const std::string& memory, const std::string& command);

// The trial's own overrides: its steps and its device, the tracer alone, nothing saved, one rank.
std::vector<std::string> trial_overrides(const TrialRequest& request);

// A command line that runs the same, for somebody who wants to look at it.
std::string trial_command(const TrialRequest& request);

// Throws config::ConfigError when the configuration is refused, std::runtime_error when the run fails for
// anything but memory, and TrialInterrupted. This process must have no other thread.
what_if::TrialReport run_trial(const TrialRequest& request);

}  // namespace strata::cli
