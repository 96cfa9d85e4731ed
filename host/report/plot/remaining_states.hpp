// SPDX-License-Identifier: Apache-2.0
// What some of the blocks hold at each of a picture's states.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/point.hpp"

namespace strata::report::plot {

// Of `blocks`, indices into Facts::blocks, what is alive right after the event of each state, by category.
// `states` are in the order of their sequences.
std::vector<analysis::CategoryBytes> remaining_states(const analysis::MemoryFacts& facts,
                                                      std::span<const std::uint32_t> blocks,
                                                      std::span<const analysis::Point> states);

}  // namespace strata::report::plot
