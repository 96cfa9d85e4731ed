// SPDX-License-Identifier: Apache-2.0
// Finds blocks, made by one operator of one module in consecutive forwards, that accumulate.
#pragma once

#include <vector>

#include "host/analysis/peak/kept_from_earlier.hpp"

namespace strata::analysis {

struct MemoryFacts;

// By birth; ignores their role in the graph. kept_from_earlier.hpp defines the criteria.
std::vector<KeptBlock> growing_blocks(const MemoryFacts& facts);

}  // namespace strata::analysis
