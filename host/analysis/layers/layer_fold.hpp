// SPDX-License-Identifier: Apache-2.0
// Numbered modules that are alike, as one: twelve equal layers are read as a sum, and as what each holds.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/layers/layer_tree.hpp"

namespace strata::analysis {

struct FoldedLayers {
  std::vector<LayerNode> nodes;         // without most and means; each behind its parent
  std::vector<std::uint32_t> place_of;  // of each node that was folded
};

// `nodes` with their totals, each behind its parent.
FoldedLayers fold_layers(const std::vector<LayerNode>& nodes);

}  // namespace strata::analysis
