// SPDX-License-Identifier: Apache-2.0
// Memory that a program holds unnecessarily, and memory that the allocator could not hand out: sums over
// existing blocks. No byte is counted in two findings about blocks.
#pragma once

#include <vector>

#include "host/analysis/facts/failure.hpp"

namespace strata::analysis {

struct MemoryFacts;

// At the moment of a failed allocation, largest first. Requires the blocks, phases, steps, texts, points,
// reserved points and samples of `facts`, and the request and held memory of `failure`.
std::vector<Finding> findings_of(const MemoryFacts& facts, const OutOfMemory& failure);

// At the peak of a completed run, largest first; then the maximum gain from lowering that peak. Findings
// below a hundredth of `missing_bytes` are omitted.
std::vector<Finding> findings_at(const MemoryFacts& facts, const Peak& peak, std::uint64_t missing_bytes);

}  // namespace strata::analysis
