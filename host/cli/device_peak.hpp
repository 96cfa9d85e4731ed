// SPDX-License-Identifier: Apache-2.0
// The peak rates of a run's card.
#pragma once

#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/time/device_peak.hpp"

namespace strata::cli {

// For `card`, the name of a device profile; if empty, for the card simulated by a dry run, or none. Throws
// like config::load_device_profile if there is no such profile.
std::optional<analysis::DevicePeak> device_peak(const analysis::MemoryFacts& facts, const std::string& card);

}  // namespace strata::cli
