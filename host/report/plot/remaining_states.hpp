// SPDX-License-Identifier: Apache-2.0
// The memory of a subset of blocks at each state of a picture.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/point.hpp"

namespace strata::report::plot {

// For `blocks`, indices into Facts::blocks: the live bytes right after the event of each state, by category.
// `states` are in the order of their sequences.
std::vector<analysis::CategoryBytes> remaining_states(const analysis::MemoryFacts& facts,
                                                      std::span<const std::uint32_t> blocks,
                                                      std::span<const analysis::Point> states);

}  // namespace strata::report::plot
