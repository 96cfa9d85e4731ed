// SPDX-License-Identifier: Apache-2.0
// Memory that a program holds and need not, and memory that the allocator could not hand out: sums over
// blocks that were there. No byte belongs to two findings of blocks.
#pragma once

#include <vector>

#include "host/analysis/facts/failure.hpp"

namespace strata::analysis {

struct MemoryFacts;

// At the moment at which an allocation failed, largest first. Needs the blocks, phases, steps, texts, points,
// reserved points and samples of `facts`, and what was asked for and held of `failure`.
std::vector<Finding> findings_of(const MemoryFacts& facts, const OutOfMemory& failure);

// At the peak of a run that came to its end, largest first; then what lowering that peak can gain at most.
// Findings below a hundredth of `missing_bytes` are left out.
std::vector<Finding> findings_at(const MemoryFacts& facts, const Peak& peak, std::uint64_t missing_bytes);

}  // namespace strata::analysis
