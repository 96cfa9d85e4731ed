// SPDX-License-Identifier: Apache-2.0
// Memory by module, as `du` shows a disk by folder: what each holds by itself and with all below it.
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
  std::uint32_t parent = 0;  // index into LayerTree::nodes; the root's is its own
  std::uint32_t depth = 0;   // 0 for the root
  // At the tree's moment: of its own blocks, and with those of all below it.
  CategoryBytes self{}, total{};
  std::uint64_t blocks = 0;           // alive then, in it and below it
  std::uint64_t parameter_bytes = 0;  // of its own parameters, as they were asked for: no rounding
  // Over the tree's interval, with all below it. The mean over events has the level after each allocation and
  // each free of the interval once, whichever module it was of; the mean over time, each level for as long as
  // it lasted.
  std::uint64_t most_bytes = 0;
  double mean_over_events = 0.0, mean_over_time = 0.0;
  // Of a tree with modules that are alike folded: how many this node stands for, and what the smallest and
  // the largest of them hold at the moment.
  std::uint32_t members = 1;
  std::uint64_t smallest_bytes = 0, largest_bytes = 0;
};

// The root is the device: its total is what is allocated. Below it are the modules, and in parentheses what
// is of no module: registered blocks by their kind, "(input)", others by the phase of their birth,
// "(optimizer)". "(model)" is what the model's own forward makes outside of any of its modules.
struct LayerTree {
  std::uint64_t sequence = 0;  // the moment
  RunInterval interval;
  std::vector<LayerNode> nodes;  // each before those below it, of siblings the largest first; never empty
                                 // once something was allocated
};

}  // namespace strata::analysis
