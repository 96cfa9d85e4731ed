// SPDX-License-Identifier: Apache-2.0
// What a rank of sharded data parallel (fully_shard, FullyShardedDataParallel) keeps whole between
// micro-batches: gradients, because the ranks add theirs up only in a later one, and gathered parameters.
#pragma once

#include <cstdint>

namespace strata::analysis {

struct MemoryFacts;

// Bytes at `sequence` of gradients as large as gathered parameters (or twice that, in a wider format)
// that outlive their backward and that a later backward frees, or none because the run ended before. A
// gradient of a parameter that is not sharded stays until an optimizer has used it. Uses the blocks and
// phases.
std::uint64_t unsharded_gradient_bytes(const MemoryFacts& facts, std::uint64_t sequence);

// Bytes at `sequence` of gathered parameters that outlive a backward.
std::uint64_t kept_gathered_bytes(const MemoryFacts& facts, std::uint64_t sequence);

}  // namespace strata::analysis
