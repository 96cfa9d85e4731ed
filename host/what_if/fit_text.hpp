// SPDX-License-Identifier: Apache-2.0
// The largest value of a setting for one card or several, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/what_if/largest.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::what_if {

struct DeviceFit {
  std::string device;  // the profile's name: h100-80gb
  std::string card;    // as the driver tells it
  std::uint64_t memory_bytes = 0;
  Largest found;
  TrialReport at_largest;  // where there is one
  TrialReport at_next;     // where there is one
  std::string command;     // that runs the largest, or, where nothing fits, what does not
};

// One card: what fits with how much room, what does not and why, and the command to look at it.
std::string fit_text(const std::string& key, const DeviceFit& fit);

// A row a card.
std::string fit_table(const std::string& key, const std::vector<DeviceFit>& fits);

// strata.fit/1, docs/fit.md.
nlohmann::ordered_json fit_json(const std::string& key, const DeviceFit& fit);

}  // namespace strata::what_if
