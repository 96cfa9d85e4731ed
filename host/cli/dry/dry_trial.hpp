// SPDX-License-Identifier: Apache-2.0
// Runs a few steps of a training on a dry GPU, in a separate process without leaving files: its need of
// device memory.
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
  std::vector<std::string> overrides;  // the user's, then the trial's own, which take precedence
  std::string device;                  // the YAML value of `device`: dry
  std::string allocator_settings;      // for PYTORCH_CUDA_ALLOC_CONF; empty: unchanged
  std::int64_t steps = 3;
  bool first_rank_alone = false;  // of several, which all need the same memory
  bool saves = false;             // checkpoints, which are disabled in a trial
};

// The device of a configuration's trials: `own`, the configuration's, with the named card instead and, unless
// empty, with `memory`, in the format of --device-memory. Throws UsageError and config::ConfigError.
config::DeviceConfig trial_device(const config::DeviceConfig& own, const std::string& name,
                                  const std::string& memory, const std::string& command);

// The trial's own overrides: its steps and device, only the tracer, no saving, one rank.
std::vector<std::string> trial_overrides(const TrialRequest& request);

// An equivalent command line, for users who want to inspect it.
std::string trial_command(const TrialRequest& request);

// Throws config::ConfigError if the configuration is invalid, std::runtime_error if the run fails for any
// other reason than memory, and TrialInterrupted. This process must have no other thread.
what_if::TrialReport run_trial(const TrialRequest& request);

}  // namespace strata::cli
