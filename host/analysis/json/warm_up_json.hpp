// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/analysis/facts/steady_state.hpp"

namespace strata::analysis {

struct Facts;

inline constexpr const char* kWarmUpSchema = "strata.warm-up/1";

// `steady_state` of summary.json.
nlohmann::ordered_json steady_state_json(const SteadyState& state);

// The output of `strata report --warm-up --json` (docs/warm-up.md).
std::string warm_up_document(const Facts& facts);

}  // namespace strata::analysis
