// SPDX-License-Identifier: Apache-2.0
// How the bytes of each module rise and fall over a interval of the run.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/layer_tree.hpp"

namespace strata::analysis {

class LayerLevels {
 public:
  explicit LayerLevels(const RunInterval& interval) : interval_(interval) {}

  // Whether the block is alive at some time of the interval.
  bool holds(const Block& block) const {
    return block.birth_sequence <= interval_.end_sequence && block.death_sequence >= interval_.begin_sequence;
  }
  // Such a block, and the node it is of.
  void add(const Block& block, std::uint32_t node);
  // Each node's blocks are `place_of[node]`'s from now on.
  void move_to(const std::vector<std::uint32_t>& place_of);

  // Fills in most and means of each node, for itself and all below it. Nodes stand behind their parents.
  void finish(std::vector<LayerNode>& nodes);

 private:
  struct Change {
    std::uint64_t sequence = 0;
    std::int64_t ns = 0;
    std::uint64_t bytes = 0;
    std::uint32_t node = 0;
    bool is_birth = false;
  };

  // By sequence.
  std::vector<Change> in_order();

  RunInterval interval_;
  std::vector<Change> births_, deaths_;
  std::vector<std::uint64_t> begin_bytes_;  // by node, without what is below
};

}  // namespace strata::analysis
