// SPDX-License-Identifier: Apache-2.0
// The target of `strata fit`: a configuration with a value for one of its keys, or a program with a value in
// one of its words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/config/files/device_profile.hpp"
#include "host/what_if/largest.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::cli {

struct FitArguments {
  std::string config;  // or, if `is_program`, the command's first word
  std::vector<std::string> overrides;
  std::vector<std::string> devices;
  std::string over;
  std::string memory;  // of each card, instead of its own; empty: its own
  what_if::Range range{.lowest = 1, .highest = 1'000'000, .stride = 1};
  std::optional<std::int64_t> steps;
  std::string world, ranks;  // the program is these ranks of such a job: N, or LOWEST..HIGHEST to find N
  bool is_program = false;
  bool json = false;
};

// Tries a value on the card set by the last `set_device`.
class FitTrials {
 public:
  virtual ~FitTrials() = default;
  virtual const std::string& name() const = 0;  // of the key or word with the value
  virtual what_if::Range range() const = 0;
  virtual std::int64_t start() const = 0;
  // Numbers of ranks, if the fewest are sought instead of the largest value; else empty.
  virtual std::vector<std::int64_t> worlds() const { return {}; }
  // Selects a card by name; for a program also N of them, "t4:2". Throws config::ConfigError and UsageError.
  virtual config::DeviceProfile set_device(const std::string& device) = 0;
  virtual what_if::TrialReport run(std::int64_t value) = 0;
  virtual std::string command(std::int64_t value) = 0;
};

// Throws UsageError and config::ConfigError.
std::unique_ptr<FitTrials> fit_trials(const FitArguments& arguments);

}  // namespace strata::cli
