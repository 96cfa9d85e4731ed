// SPDX-License-Identifier: Apache-2.0
// Which blocks that one operator of one module makes in forward after forward add up.
#pragma once

#include <vector>

#include "host/analysis/peak/kept_from_earlier.hpp"

namespace strata::analysis {

struct MemoryFacts;

// By birth; what each is to its graph is not looked at. kept_from_earlier.hpp says what counts.
std::vector<KeptBlock> growing_blocks(const MemoryFacts& facts);

}  // namespace strata::analysis
