// SPDX-License-Identifier: Apache-2.0
// Memory by module, as `du` shows a disk by folder: what each holds by itself and with all below it.
#pragma once

#include <cstdint>

#include "host/analysis/facts/layer_tree.hpp"

namespace strata::analysis {

struct MemoryFacts;

// Of the moment `sequence`, with what each module holds over `interval`. Needs the blocks, phases and texts
// of `facts`. One pass over the blocks, and a sort of the interval's events.
LayerTree layer_tree(const MemoryFacts& facts, std::uint64_t sequence, const RunInterval& interval);

// The same with numbered modules that are alike, "layers.0" to "layers.11", as one: "layers.[0-11]".
// They are alike when they stand in one module and the same parameters, as they were asked for, stand
// in and below them.
LayerTree folded_layer_tree(const MemoryFacts& facts, std::uint64_t sequence, const RunInterval& interval);

}  // namespace strata::analysis
