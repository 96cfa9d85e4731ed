// SPDX-License-Identifier: Apache-2.0
// What the card of a run can do at most.
#pragma once

#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/time/device_peak.hpp"

namespace strata::cli {

// Of `card`, a device profile's name; empty: of the card that a dry run stood in for, or nothing. Throws as
// config::load_device_profile does where there is no such profile.
std::optional<analysis::DevicePeak> device_peak(const analysis::MemoryFacts& facts, const std::string& card);

}  // namespace strata::cli
