// SPDX-License-Identifier: Apache-2.0
// The memory of each module over an interval of the run.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/layer_tree.hpp"

namespace strata::analysis {

class LayerLevels {
 public:
  explicit LayerLevels(const RunInterval& interval) : interval_(interval) {}

  // Whether the block is alive at some time in the interval.
  bool holds(const Block& block) const {
    return block.birth_sequence <= interval_.end_sequence && block.death_sequence >= interval_.begin_sequence;
  }
  // Adds such a block and its node.
  void add(const Block& block, std::uint32_t node);
  // From now on, each node's blocks belong to `place_of[node]`.
  void move_to(const std::vector<std::uint32_t>& place_of);

  // Sets maximum and means of each node, including all nodes below it. Nodes come after their parents.
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
  std::vector<std::uint64_t> begin_bytes_;  // by node, without nodes below
};

}  // namespace strata::analysis
