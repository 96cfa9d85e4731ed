// SPDX-License-Identifier: Apache-2.0
// A run's times as JSON: docs/time.md and docs/summary.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "host/analysis/time/device_peak.hpp"

namespace strata::analysis {

struct Facts;

// The document strata.time/1. Lists contain the first `top` entries; 0: all. The facts must have times.
std::string time_document(const Facts& facts, const std::optional<DevicePeak>& peak, std::size_t top);

// The section of summary.json; null for a run without times.
nlohmann::ordered_json time_summary(const Facts& facts);

}  // namespace strata::analysis
