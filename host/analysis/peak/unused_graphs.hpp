// SPDX-License-Identifier: Apache-2.0
// Memory that forwards keep for a backward that never uses it, or uses it for nothing, because torch was not
// told: an evaluation or a teacher without torch.no_grad(). graphs_without_backward.hpp and
// unused_graphs.cpp define them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/finding.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"

namespace strata::analysis {

struct MemoryFacts;

struct UnusedGraph {
  std::vector<std::uint32_t> blocks;  // indices into Facts::blocks, by birth
  std::string_view module;            // path of the module that made them all; empty: none, or unknown
  bool is_of_evaluation = false;      // a backward traverses its maker's graph elsewhere
  bool are_gradients = false;         // not a graph, but gradients made by a backward
  WhyUnused why = WhyUnused::kNoBackward;

  // The module that sentences name; empty for an evaluation.
  std::string_view named_module() const { return is_of_evaluation ? std::string_view() : module; }
};

class UnusedGraphs {
 public:
  // Uses the blocks and texts of `facts`, which must outlive this. Excludes blocks in `kept`.
  UnusedGraphs(const MemoryFacts& facts, const KeptFromEarlier& kept);

  bool holds(std::size_t block) const { return graph_of_block_[block] != 0; }  // index into Facts::blocks
  bool holds_of_evaluation(std::size_t block) const {
    return holds(block) && graphs_[graph_of_block_[block] - 1].is_of_evaluation;
  }
  const std::vector<UnusedGraph>& graphs() const { return graphs_; }

  std::uint64_t bytes_of_at(const UnusedGraph& graph, std::uint64_t sequence) const;  // alive then
  std::uint64_t bytes_at(std::uint64_t sequence) const;                               // of all graphs
  // The named_module() of all graphs alive then, without duplicates.
  std::vector<std::string> modules_at(std::uint64_t sequence) const;
  // The graph with the most bytes alive then; null if none has any.
  const UnusedGraph* largest_at(std::uint64_t sequence) const;

 private:
  const MemoryFacts& facts_;
  std::vector<UnusedGraph> graphs_;
  std::vector<std::uint32_t> graph_of_block_;  // its number, from 1; 0: none
};

}  // namespace strata::analysis
