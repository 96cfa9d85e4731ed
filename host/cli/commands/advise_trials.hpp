// SPDX-License-Identifier: Apache-2.0
// What `strata advise` tries changes on: a configuration, or a program of the user's own.
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
  std::string config;  // or, where `is_program`, the command's first word
  std::vector<std::string> overrides;
  std::string device, memory;  // empty: the configuration's; the card's own
  std::string dry;             // of a program, in place of both: the YAML's value of `device`
  std::int64_t steps = 2;
  std::optional<std::size_t> jobs;  // trials at once
  bool is_program = false;
  bool json = false;
};

class AdviseTrials : public what_if::Trials {
 public:
  // The card, with what of its memory trials may take.
  virtual const config::DeviceProfile& card() const = 0;
  // As what_if::CommandOf.
  virtual std::string command(const what_if::Selection& selection, what_if::On on) = 0;
};

struct Advised {
  std::string text;   // a table, or JSON
  int exit_code = 0;  // of `strata advise`
};

// Throws UsageError, config::ConfigError, TrialInterrupted, and std::runtime_error where the training as it
// is cannot be measured.
Advised advise(const AdviseArguments& arguments);

// Throws UsageError and config::ConfigError.
std::unique_ptr<AdviseTrials> advise_trials(const AdviseArguments& arguments);

}  // namespace strata::cli
