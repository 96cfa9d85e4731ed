// SPDX-License-Identifier: Apache-2.0
// Memory by module, like `du` for folders: each module's own memory, and including all modules below it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/run_interval.hpp"

namespace strata::analysis {

struct LayerNode {
  std::string name;          // the last part of the path: "attn"; empty for the root
  std::string path;          // "layers.0.attn"
  std::uint32_t parent = 0;  // index into LayerTree::nodes; the root's is itself
  std::uint32_t depth = 0;   // 0 for the root
  // At the tree's moment: its own blocks, and those including all nodes below it.
  CategoryBytes self{}, total{};
  std::uint64_t blocks = 0;           // alive then, including nodes below
  std::uint64_t parameter_bytes = 0;  // requested bytes of its own parameters, without rounding
  // Over the tree's interval, including all nodes below it. The mean over events counts the value after each
  // allocation and free of the interval once, in whichever module it happened; the mean over time weights
  // each value by its duration.
  std::uint64_t most_bytes = 0;
  double mean_over_events = 0.0, mean_over_time = 0.0;
  // If identical modules were folded: the number of modules that this node represents, and the smallest and
  // largest memory of one of them at the moment.
  std::uint32_t members = 1;
  std::uint64_t smallest_bytes = 0, largest_bytes = 0;
};

// The root is the device: its total is all allocated memory. Below it are the modules, and in parentheses
// memory of no module: registered blocks by their kind, "(input)", others by the phase of their birth,
// "(optimizer)". "(model)" is made by the model's own forward outside of its modules.
struct LayerTree {
  std::uint64_t sequence = 0;  // the moment
  RunInterval interval;
  std::vector<LayerNode> nodes;  // each before those below it, siblings largest first; not empty once
                                 // something was allocated
};

}  // namespace strata::analysis
