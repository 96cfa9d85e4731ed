// SPDX-License-Identifier: Apache-2.0
// Gradients that an optimizer has used and that lie there until backward writes them again, because they are
// zeroed in place, or freed only after forward.
#pragma once

#include <cstdint>

namespace strata::analysis {

struct MemoryFacts;

// Their bytes at `sequence`, in a forward or backward: gradients from before the last optimizer, minus those
// to which a backward has added since. 0 elsewhere. Uses the blocks and phases.
std::uint64_t used_gradient_bytes(const MemoryFacts& facts, std::uint64_t sequence);

}  // namespace strata::analysis
