// SPDX-License-Identifier: Apache-2.0
// The largest value of a setting, or the fewest ranks, for one or several cards, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/what_if/largest.hpp"
#include "host/what_if/trial_report.hpp"

namespace strata::what_if {

struct DeviceFit {
  std::string device;  // the profile's name: h100-80gb
  std::string card;    // as reported by the driver
  std::uint64_t memory_bytes = 0;
  bool is_fewest = false;  // the fewest ranks are sought; the text's key is the job's "world"
  Found found;
  TrialReport at_best;  // if there is one
  TrialReport at_next;  // if there is one
  std::string command;  // runs the best value, or, if nothing fits, one that does not fit
};

// One card: the best value that fits and the free memory, the next one and why it does not fit, and the
// command to inspect it.
std::string fit_text(const std::string& key, const DeviceFit& fit);

// One row per card.
std::string fit_table(const std::string& key, const std::vector<DeviceFit>& fits);

// strata.fit/1, docs/fit.md.
nlohmann::ordered_json fit_json(const std::string& key, const DeviceFit& fit);

}  // namespace strata::what_if
