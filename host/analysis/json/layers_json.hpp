// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/layer_tree.hpp"

namespace strata::analysis {

struct MemoryFacts;

// The output of `strata report --layers --json`: strata.layers/1 of docs/summary.md, ending in a newline.
// Nodes deeper than `depth` are merged into those above them.
std::string layers_document(const MemoryFacts& facts, const LayerTree& tree,
                            std::optional<std::uint32_t> depth);

}  // namespace strata::analysis
