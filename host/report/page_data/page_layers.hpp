// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// The maximum number of modules on the page; the largest are kept.
inline constexpr std::size_t kPageLayers = 1500;

// `layers` of the page's data (docs/report.md): each module after its parent.
nlohmann::json layers_data(const analysis::MemoryFacts& facts);

}  // namespace strata::report
