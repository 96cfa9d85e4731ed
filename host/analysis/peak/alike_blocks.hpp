// SPDX-License-Identifier: Apache-2.0
// Groups blocks of the same size and origin: the same weight of every layer is one row of a list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// Groups of `blocks`, indices into Facts::blocks, in the order of their first blocks. Blocks are alike if
// they have the same bytes, category, kind, op, shape and dtype, and the same name except for numbers. The
// page groups rows in the same way (host/report/page/timeline/largest.js).
std::vector<std::vector<std::uint32_t>> alike_blocks(const MemoryFacts& facts,
                                                     std::span<const std::uint32_t> blocks);

}  // namespace strata::analysis
