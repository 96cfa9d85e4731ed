// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// The page holds at most so many modules, the largest.
inline constexpr std::size_t kPageLayers = 1500;

// `layers` of the page's data (docs/report.md): each module behind the one around it.
nlohmann::json layers_data(const analysis::MemoryFacts& facts);

}  // namespace strata::report
