// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// Streams and private pools at the peak for the page: `list` with `name`, `allocated`, `reserved` (null:
// unknown) and `blocks`, the first 20, and `free_elsewhere`, null if unknown.
nlohmann::json place_data(const analysis::MemoryFacts& facts);

}  // namespace strata::report
