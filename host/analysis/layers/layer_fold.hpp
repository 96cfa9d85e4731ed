// SPDX-License-Identifier: Apache-2.0
// Folds identical numbered modules into one: twelve equal layers are shown as a sum, with the memory of each.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/layers/layer_tree.hpp"

namespace strata::analysis {

struct FoldedLayers {
  std::vector<LayerNode> nodes;         // without maximum and means; each after its parent
  std::vector<std::uint32_t> place_of;  // new index of each node
};

// `nodes` with their totals, each after its parent.
FoldedLayers fold_layers(const std::vector<LayerNode>& nodes);

}  // namespace strata::analysis
