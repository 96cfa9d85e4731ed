// SPDX-License-Identifier: Apache-2.0
// Selects the nodes of a layer tree shown in a table, with their order and indentation.
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
    kNode,    // including all nodes below
    kItself,  // the node's own memory without those below
    kMore     // several small ones below one node
  };
  Kind kind = Kind::kNode;
  std::string label;
  std::uint32_t depth = 0;  // in the table; 0 for the outermost
  std::uint64_t bytes = 0;
  const analysis::LayerNode* node = nullptr;  // for kMore the enclosing one
};

// The nodes below the root, down to `depth` in the table, siblings largest first. A node that contains only a
// single other node shares its row: "layers.[0-11]". A node that is shown with its children and has memory of
// its own gets a row "(itself)", so that rows add up.
std::vector<LayerRow> all_layer_rows(const analysis::LayerTree& tree, std::uint32_t depth);

// About `rows` of the most significant rows: the largest are expanded as long as there is space. Empty rows
// are omitted.
std::vector<LayerRow> largest_layer_rows(const analysis::LayerTree& tree, std::size_t rows);

}  // namespace strata::report
