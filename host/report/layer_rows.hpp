// SPDX-License-Identifier: Apache-2.0
// Which nodes of a tree of layers a table shows, in which order and how far to the right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/layers/layer_tree.hpp"

namespace strata::report {

struct LayerRow {
  enum class Kind : std::uint8_t {
    kNode,    // with all below it
    kItself,  // what the node holds without those below
    kMore     // several small ones below one node
  };
  Kind kind = Kind::kNode;
  std::string label;
  std::uint32_t depth = 0;  // in the table; 0 for those that stand at its left
  std::uint64_t bytes = 0;
  const analysis::LayerNode* node = nullptr;  // of kMore the one around them
};

// The nodes below the root, down to `depth` of the table, of each node's the largest first. One that holds
// nothing but a single other stands in one row with it: "layers.[0-11]". A node that is shown with those
// below it and holds something itself has a row "(itself)" for that, so that rows add up.
std::vector<LayerRow> all_layer_rows(const analysis::LayerTree& tree, std::uint32_t depth);

// About `rows` of them that say most: the largest are shown with what is below them, as long as there is
// room. Rows of nothing are left out.
std::vector<LayerRow> largest_layer_rows(const analysis::LayerTree& tree, std::size_t rows);

}  // namespace strata::report
