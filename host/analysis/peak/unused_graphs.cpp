// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/unused_graphs.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/graphs_without_backward.hpp"
#include "host/analysis/peak/untaken_gradients.hpp"

namespace strata::analysis {

UnusedGraphs::UnusedGraphs(const MemoryFacts& facts, const KeptFromEarlier& kept)
    : facts_(facts), graph_of_block_(facts.blocks.size()) {
  if (facts.is_configured) return;
  graphs_ = graphs_without_backward(facts, kept);
  std::ranges::move(graphs_of_untaken_gradients(facts), std::back_inserter(graphs_));
  for (std::size_t number = 0; number < graphs_.size(); ++number)
    for (const std::uint32_t index : graphs_[number].blocks)
      graph_of_block_[index] = static_cast<std::uint32_t>(number + 1);
}

std::uint64_t UnusedGraphs::bytes_of_at(const UnusedGraph& graph, std::uint64_t sequence) const {
  std::uint64_t bytes = 0;
  for (const std::uint32_t index : graph.blocks)
    if (facts_.blocks[index].is_alive_at(sequence)) bytes += facts_.blocks[index].bytes;
  return bytes;
}

std::uint64_t UnusedGraphs::bytes_at(std::uint64_t sequence) const {
  std::uint64_t bytes = 0;
  for (const UnusedGraph& graph : graphs_) bytes += bytes_of_at(graph, sequence);
  return bytes;
}

std::vector<std::string> UnusedGraphs::modules_at(std::uint64_t sequence) const {
  std::set<std::string> modules;
  for (const UnusedGraph& graph : graphs_)
    if (bytes_of_at(graph, sequence) > 0) modules.emplace(graph.named_module());
  return {modules.begin(), modules.end()};
}

const UnusedGraph* UnusedGraphs::largest_at(std::uint64_t sequence) const {
  const UnusedGraph* largest = nullptr;
  std::uint64_t largest_bytes = 0;
  for (const UnusedGraph& graph : graphs_) {
    if (graph.are_gradients) continue;
    const std::uint64_t bytes = bytes_of_at(graph, sequence);
    if (bytes <= largest_bytes) continue;
    largest = &graph;
    largest_bytes = bytes;
  }
  return largest;
}

}  // namespace strata::analysis
