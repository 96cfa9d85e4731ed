// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/unused_graphs.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/module_path.hpp"
#include "host/analysis/peak/graphs_without_backward.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// Gradients that no optimizer uses, and the graphs that backward traverses to compute them: of a teacher
// whose output is used in the loss, or of a backbone of which only the head is trained.

using Models = std::set<std::string_view>;

std::uint64_t last_optimizer(const MemoryFacts& facts) {
  std::uint64_t begin = 0, steps = 0;
  for (const PhaseFact& phase : facts.phases) {
    if (phase.kind != STRATA_PHASE_OPTIMIZER) continue;
    begin = phase.begin_sequence;
    ++steps;
  }
  return steps < 2 ? 0 : begin;
}

Models models_with_state(const MemoryFacts& facts) {
  Models models;
  for (const Block& block : facts.blocks)
    if (block.category == Category::kOptimizerState) models.insert(model_of(facts.texts[block.name]));
  models.erase("");
  return models;
}

// Gradients of models without state that are alive at the last optimizer step, if that is all the model ever
// had.
std::map<std::string_view, std::vector<std::uint32_t>> untaken_gradients(const MemoryFacts& facts,
                                                                         const Models& stepped) {
  const std::uint64_t last = last_optimizer(facts);
  std::map<std::string_view, std::vector<std::uint32_t>> gradients;
  Models cleared(stepped);
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (block.category != Category::kGradient || block.name == 0) continue;
    const std::string_view model = model_of(trained_by(facts.texts[block.name]));
    if (block.is_alive_at(last))
      gradients[model].push_back(index);
    else
      cleared.insert(model);
  }
  for (const std::string_view model : cleared) gradients.erase(model);
  gradients.erase("");
  return gradients;
}

// By phase of a forward: the first block of a model that is stepped, if each of them has one. It is unknown
// what is computed with a parameter outside of any module.
std::map<std::uint32_t, std::uint32_t> first_of_stepped(const MemoryFacts& facts, const Models& stepped) {
  std::map<std::uint32_t, std::uint32_t> first;
  std::map<std::uint32_t, Models> seen;
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    const std::string_view model = model_of(facts.texts[block.layer]);
    if (block.phase == 0 || !stepped.contains(model)) continue;
    first.try_emplace(block.phase, index);
    seen[block.phase].insert(model);
  }
  std::erase_if(first, [&](const auto& of_phase) { return seen[of_phase.first].size() < stepped.size(); });
  return first;
}

// Whether a backward makes the block while traversing a model and needs it only there: flowing gradients, and
// library workspaces.
bool is_on_the_way(const MemoryFacts& facts, const Block& block) {
  return block.name == 0 && block.phase != 0 && facts.phases[block.phase - 1].kind == STRATA_PHASE_BACKWARD &&
         (block.category == Category::kTemporary || block.category == Category::kAutogradDetail);
}

// Besides another optimizer, SGD may use gradients without keeping state.
bool may_have_stateless_optimizer(const MemoryFacts& facts) {
  std::set<std::string_view> names;
  for (const PhaseFact& phase : facts.phases)
    if (phase.kind == STRATA_PHASE_OPTIMIZER) names.insert(phase.name);
  return names.contains("SGD.step") && names.size() > 1;
}

// For models whose gradients are alive from the first backward to the last optimizer step, because nothing
// clears them, and that have no optimizer state although other models do. Their graphs are those made by a
// forward before the first one of a trained model: later ones may be computed from that model. None if
// modules are unknown. `facts` must outlive the result.
std::vector<UnusedGraph> graphs_of_untaken_gradients(const MemoryFacts& facts) {
  const Models stepped = models_with_state(facts);
  if (stepped.empty() || may_have_stateless_optimizer(facts)) return {};
  auto gradients = untaken_gradients(facts, stepped);
  if (gradients.empty()) return {};
  const auto first_stepped = first_of_stepped(facts, stepped);
  std::map<std::pair<std::string_view, std::uint32_t>, std::vector<std::uint32_t>> graphs;
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    const std::string_view model = model_of(facts.texts[block.layer]);
    const auto first = first_stepped.find(block.phase);
    if (block.kind == BlockKind::kSaved && gradients.contains(model) && first != first_stepped.end() &&
        index < first->second)
      graphs[{model, block.phase}].push_back(index);
  }
  std::vector<UnusedGraph> found;
  Models with_graph;
  for (auto& [of, blocks] : graphs) {
    with_graph.insert(of.first);
    found.push_back({.blocks = std::move(blocks), .module = of.first, .why = WhyUnused::kNoStep});
  }
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    const std::string_view model = model_of(facts.texts[block.layer]);
    if (with_graph.contains(model) && is_on_the_way(facts, block)) gradients[model].push_back(index);
  }
  for (auto& [model, blocks] : gradients) std::ranges::sort(blocks);
  for (auto& [model, blocks] : gradients)
    if (with_graph.contains(model))
      found.push_back(
          {.blocks = std::move(blocks), .module = model, .are_gradients = true, .why = WhyUnused::kNoStep});
  return found;
}

}  // namespace

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
