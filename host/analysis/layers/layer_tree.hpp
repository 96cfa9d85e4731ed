// SPDX-License-Identifier: Apache-2.0
// Memory by module, like `du` for folders: each module's own memory, and including all modules below it.
#pragma once

#include <cstdint>

#include "host/analysis/facts/layer_tree.hpp"

namespace strata::analysis {

struct MemoryFacts;

// At the moment `sequence`, with each module's memory over `interval`. Requires the blocks, phases and texts
// of `facts`. One pass over the blocks, and a sort of the interval's events.
LayerTree layer_tree(const MemoryFacts& facts, std::uint64_t sequence, const RunInterval& interval);

// The same with identical numbered modules, "layers.0" to "layers.11", folded into one: "layers.[0-11]".
// Modules are identical if they have the same parent and the same parameters, by requested size, in and below
// them.
LayerTree folded_layer_tree(const MemoryFacts& facts, std::uint64_t sequence, const RunInterval& interval);

}  // namespace strata::analysis
