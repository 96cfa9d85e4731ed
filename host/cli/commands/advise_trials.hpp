// SPDX-License-Identifier: Apache-2.0
// The target on which `strata advise` tries changes: a configuration, or the user's program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/config/files/device_profile.hpp"
#include "host/what_if/advice.hpp"
#include "host/what_if/advice_text.hpp"

namespace strata::cli {

struct AdviseArguments {
  std::string config;  // or, if `is_program`, the command's first word
  std::vector<std::string> overrides;
  std::string device, memory;  // empty: as in the configuration; the card's own
  std::string dry;             // for a program, instead of both: the YAML value of `device`
  std::int64_t steps = 2;
  std::optional<std::size_t> jobs;  // trials at the same time
  bool is_program = false;
  bool json = false;
};

class AdviseTrials : public what_if::Trials {
 public:
  // The card, with the memory that trials may use.
  virtual const config::DeviceProfile& card() const = 0;
  // Like what_if::CommandOf.
  virtual std::string command(const what_if::Selection& selection, what_if::On on) = 0;
};

struct Advised {
  std::string text;   // a table, or JSON
  int exit_code = 0;  // of `strata advise`
};

// Throws UsageError, config::ConfigError, TrialInterrupted, and std::runtime_error if the unchanged training
// cannot be measured.
Advised advise(const AdviseArguments& arguments);

// Throws UsageError and config::ConfigError.
std::unique_ptr<AdviseTrials> advise_trials(const AdviseArguments& arguments);

}  // namespace strata::cli
