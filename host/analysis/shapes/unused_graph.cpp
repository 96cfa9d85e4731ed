// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/peak/unused_graphs.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

// Those like the largest over the run, and when most of them is there.
struct Graphs {
  explicit Graphs(const UnusedGraph& largest_graph) : largest(largest_graph) {}

  const UnusedGraph& largest;
  MostAlive most{};
  std::uint64_t alike = 0, largest_bytes = 0;
  std::set<std::int64_t> steps;
  std::uint64_t begin_sequence = 0, end_sequence = 0;
};

std::vector<const Block*> blocks_of(const MemoryFacts& facts, const UnusedGraph& graph) {
  std::vector<const Block*> blocks;
  blocks.reserve(graph.blocks.size());
  for (const std::uint32_t index : graph.blocks) blocks.push_back(&facts.blocks[index]);
  return blocks;
}

bool are_alike(const UnusedGraph& graph, const UnusedGraph& other) {
  return !graph.are_gradients && graph.named_module() == other.named_module() &&
         (graph.why == WhyUnused::kNoStep) == (other.why == WhyUnused::kNoStep);
}

const UnusedGraph* largest_of(const MemoryFacts& facts, const UnusedGraphs& unused) {
  std::vector<const Block*> all;
  for (const UnusedGraph& graph : unused.graphs())
    if (!graph.are_gradients) std::ranges::copy(blocks_of(facts, graph), std::back_inserter(all));
  return unused.largest_at(most_alive(all).sequence);
}

Graphs graphs_of(const MemoryFacts& facts, const UnusedGraphs& unused, const UnusedGraph& largest) {
  Graphs graphs(largest);
  std::vector<const Block*> all;
  for (const UnusedGraph& graph : unused.graphs()) {
    if (!are_alike(graph, largest)) continue;
    ++graphs.alike;
    std::ranges::copy(blocks_of(facts, graph), std::back_inserter(all));
    if (const StepFact* const step = step_at(facts, facts.blocks[graph.blocks.front()].birth_sequence))
      graphs.steps.insert(step->index);
  }
  graphs.most = most_alive(all);
  const std::vector<const Block*> of_largest = blocks_of(facts, largest);
  graphs.begin_sequence = of_largest.front()->birth_sequence;
  graphs.end_sequence = std::ranges::max(of_largest, {}, &Block::death_sequence)->death_sequence;
  graphs.largest_bytes = bytes_of(of_largest);
  return graphs;
}

}  // namespace

std::vector<Shape> unused_graphs(const MemoryFacts& facts) {
  const UnusedGraphs unused(facts, KeptFromEarlier(facts));
  const UnusedGraph* const largest = largest_of(facts, unused);
  if (largest == nullptr) return {};
  const Graphs graphs = graphs_of(facts, unused, *largest);
  const StepFact* const at = step_at(facts, graphs.most.sequence);
  if (at == nullptr) return {};
  const StepView step(facts, *at, {});
  if (!step.is_seen(graphs.most.bytes)) return {};
  const Span span{.begin = std::max(graphs.begin_sequence, at->begin_sequence),
                  .end = std::min(graphs.end_sequence, at->end_sequence)};
  Shape shape =
      step.shape(ShapeKind::kUnusedGraph, span, step.level_at(graphs.most.sequence), graphs.most.bytes);
  shape.count = graphs.steps.size();
  shape.layer = graphs.largest.module;
  shape.remedies = {Remedy::kNoGrad};
  shape.detail = UnusedGraphDetail{.graphs = graphs.alike,
                                   .largest_blocks = graphs.largest.blocks.size(),
                                   .largest_bytes = graphs.largest_bytes,
                                   .why = graphs.largest.why,
                                   .module = std::string(graphs.largest.named_module())};
  return {shape};
}

}  // namespace strata::analysis
