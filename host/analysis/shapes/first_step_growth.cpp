// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/memory/said.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/peak/unused_graphs.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

std::uint64_t growth_of(const StepView& step) {
  const std::uint64_t begin = step.level_at(step.step().begin_sequence).bytes;
  const std::uint64_t end = step.level_at(step.step().end_sequence).bytes;
  return end - std::min(begin, end);
}

// How far above the first step's end any later one ends that was recorded whole. Where gradients are cleared
// at a step's begin the last one ends with them, for none comes behind it.
std::uint64_t later_growth(const MemoryFacts& facts, std::uint64_t first_end_bytes) {
  std::uint64_t highest = first_end_bytes;
  const std::size_t count = facts.steps.size() > 2 ? facts.steps.size() - 2 : 1;
  for (const StepFact& step : std::span(facts.steps).subspan(1, count)) {
    if (!step.complete || step.thinned) continue;
    highest = std::max(highest, StepView(facts, step, {}).level_at(step.end_sequence).bytes);
  }
  return highest - first_end_bytes;
}

std::uint64_t left_of_kind(const StepView& step, BlockKind kind) {
  std::uint64_t bytes = 0;
  for (const Block& block : step.born())
    if (block.death_sequence > step.step().end_sequence && block.kind == kind) bytes += block.bytes;
  return bytes;
}

// "del of what aten::mm in out made, before optimizer.step()": a variable of the program holds it. Where that
// is an output with its graph, most of it is the graph.
std::string let_go_of_residue(const MemoryFacts& facts, const StepView& step) {
  if (facts.is_configured || !step.is_seen(left_of_kind(step, BlockKind::kForwardResidue))) return {};
  const UnusedGraphs unused(facts, KeptFromEarlier(facts));
  const std::uint64_t end = step.step().end_sequence;
  if (const UnusedGraph* const graph = unused.largest_at(end); graph && step.is_seen(unused.bytes_at(end)))
    return unused.without_graphs_at(end) + " keep nothing but their output";
  const Block* largest = largest_residue(step.born(), step.step().end_sequence);
  if (largest == nullptr) return {};
  return fmt::format(
      "del of what {} made, before optimizer.step(), lets go of what a variable holds beyond backward",
      main_maker(facts, {largest}));
}

// Of the model; what a batch that requires its gradient leaves no optimizer clears.
bool leaves_gradients(const MemoryFacts& facts, const StepView& step) {
  std::uint64_t bytes = 0;
  for (const Block& block : step.born()) {
    const bool is_batchs = facts.texts[block.name].starts_with("parameter ");
    if (block.kind == BlockKind::kGradient && !is_batchs && block.death_sequence > step.step().end_sequence)
      bytes += block.bytes;
  }
  return step.is_seen(bytes);
}

std::string remedy_of(const MemoryFacts& facts, const StepView& step) {
  std::vector<std::string> remedies;
  if (step.is_seen(left_of_kind(step, BlockKind::kState)))
    remedies.emplace_back(
        "optimizer.init_state: dummy makes the optimizer's state before the first step, so that the first "
        "step's peak is that of all");
  if (leaves_gradients(facts, step))
    remedies.emplace_back("zero_grad: {at: step_end} leaves no gradients behind");
  if (std::string residue = let_go_of_residue(facts, step); !residue.empty())
    remedies.push_back(std::move(residue));
  return remedies.empty() ? "nothing to remove: later steps find it there"
                          : fmt::format("{}", fmt::join(remedies, "; "));
}

// "23.0 MiB state, 11.5 MiB gradient": what the step made and left, the largest first, and what it let go of.
std::string said_kinds(const StepView& step, std::uint64_t growth) {
  std::map<BlockKind, std::uint64_t> by_kind;
  std::uint64_t left = 0;
  for (const Block& block : step.born()) {
    if (block.death_sequence <= step.step().end_sequence) continue;
    by_kind[block.kind] += block.bytes;
    left += block.bytes;
  }
  std::vector<std::pair<BlockKind, std::uint64_t>> kinds(by_kind.begin(), by_kind.end());
  std::ranges::stable_sort(kinds, std::greater{}, [](const auto& kind) { return kind.second; });
  std::string text;
  for (const auto& [kind, bytes] : kinds) {
    if (!step.is_seen(bytes)) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", said_bytes(bytes), to_string(kind));
  }
  const std::uint64_t gone = left - std::min(left, growth);
  if (!text.empty() && step.is_seen(gone))
    text += fmt::format(", and {} that was there goes", said_bytes(gone));
  return text;
}

}  // namespace

std::vector<Shape> first_step_growth(const MemoryFacts& facts) {
  if (facts.steps.size() < 2) return {};
  const StepFact& first_step = facts.steps[0];
  const StepFact& second_step = facts.steps[1];
  if (!first_step.complete || !second_step.complete || first_step.thinned || second_step.thinned) return {};
  const StepView first(facts, first_step, {}), second(facts, second_step, {});
  const std::uint64_t growth = growth_of(first);
  if (!first.is_seen(growth) || growth_of(second) > growth / 10) return {};
  const std::string kinds = said_kinds(first, growth);
  if (kinds.empty()) return {};
  Shape shape =
      first.shape(ShapeKind::kFirstStepGrowth, first.span(), first.level_at(first_step.end_sequence), growth);
  const std::uint64_t later = later_growth(facts, shape.level_bytes);
  shape.sentence =
      later <= growth / 10
          ? fmt::format(
                "The first step ends {} above its begin, and no later one does: what it makes stays, {}.",
                said_bytes(growth), kinds)
          : fmt::format(
                "The first step ends {} above its begin: what it makes stays, {}. Later ones come to end {} "
                "above that.",
                said_bytes(growth), kinds, said_bytes(later));
  shape.remedy = remedy_of(facts, first);
  shape.evidence =
      fmt::format("step {} ends {} higher than it begins, step {} ends {} higher", first_step.index,
                  said_bytes(growth), second_step.index, said_bytes(growth_of(second)));
  return {shape};
}

}  // namespace strata::analysis
