// SPDX-License-Identifier: Apache-2.0
// Blocks of one size and origin together: the same weight of every layer is one row of a list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// Groups of `blocks`, indices into Facts::blocks, in the order of their first ones. Alike are those of the
// same bytes, category, kind, op, shape, dtype, and name but for its numbers. The page joins rows in the same
// way (host/report/page/timeline/largest.js).
std::vector<std::vector<std::uint32_t>> alike_blocks(const MemoryFacts& facts,
                                                     std::span<const std::uint32_t> blocks);

}  // namespace strata::analysis
