// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/memory/said.hpp"
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
  return !graph.are_gradients && forwards_of(graph) == forwards_of(other) &&
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

std::string_view proof_of(WhyUnused why) {
  switch (why) {
    case WhyUnused::kNoBackward:
      return "it is let go of, what was made last first, and no backward has begun since its first block";
    case WhyUnused::kLikeOthers:
      return "others that the same forwards made are let go of before any backward begins";
    case WhyUnused::kPassedBy:
      return "a backward goes past it and makes no gradient of its parameters";
    case WhyUnused::kNoStep:
      return "its parameters' gradients are never cleared, and no optimizer has a state of them in this run";
  }
  return {};
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
  const std::string forwards = forwards_of(graphs.largest);
  const std::string of_forwards = graphs.largest.is_named() ? " of " + forwards : "";
  const std::string_view unused_for = graphs.largest.why == WhyUnused::kNoStep
                                          ? "No optimizer takes the gradients that come of"
                                          : "No backward goes through";
  shape.sentence = graphs.alike == 1
                       ? fmt::format("{} the graph{}, which keeps {}.", unused_for, of_forwards,
                                     said_bytes(graphs.largest_bytes))
                       : fmt::format("{} {} graphs{}, which keep up to {} each; {} of that is there at once.",
                                     unused_for, graphs.alike, of_forwards, said_bytes(graphs.largest_bytes),
                                     said_bytes(graphs.most.bytes));
  shape.remedy = forwards + " under torch.no_grad() keep nothing but their output";
  shape.evidence =
      fmt::format("{} of {}, the largest of {}: {}", said_count(graphs.alike, "graph", "graphs"), forwards,
                  said_count(graphs.largest.blocks.size(), "block", "blocks"), proof_of(graphs.largest.why));
  return {shape};
}

}  // namespace strata::analysis
