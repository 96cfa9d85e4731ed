// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// A variable of the program may hold more than it needs. If it holds an output with its graph, the graph is
// most of that.
void add_release(const MemoryFacts& facts, const StepView& step, Shape& shape,
                 FirstStepGrowthDetail& detail) {
  if (facts.is_configured || !step.is_seen(left_of_kind(step, BlockKind::kForwardResidue))) return;
  const UnusedGraphs unused(facts, KeptFromEarlier(facts));
  const std::uint64_t end = step.step().end_sequence;
  if (unused.largest_at(end) != nullptr && step.is_seen(unused.bytes_at(end))) {
    shape.remedies.push_back(Remedy::kNoGrad);
    detail.unused = unused.modules_at(end);
  } else if (const Block* const largest = largest_residue(step.born(), end); largest != nullptr) {
    shape.remedies.push_back(Remedy::kReleaseOutputs);
    detail.held = main_maker(facts, {largest});
  }
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

// Bytes allocated by the step and alive at its end, and earlier bytes that it freed.
void add_left(const StepView& step, std::uint64_t growth, FirstStepGrowthDetail& detail) {
  std::map<BlockKind, std::uint64_t> by_kind;
  std::uint64_t left = 0;
  for (const Block& block : step.born()) {
    if (block.death_sequence <= step.step().end_sequence) continue;
    by_kind[block.kind] += block.bytes;
    left += block.bytes;
  }
  for (const auto& [kind, bytes] : by_kind)
    if (step.is_seen(bytes)) detail.left.push_back({kind, bytes});
  std::ranges::stable_sort(detail.left, std::greater{}, &FirstStepGrowthDetail::Kind::bytes);
  const std::uint64_t gone = left - std::min(left, growth);
  if (step.is_seen(gone)) detail.gone_bytes = gone;
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
  FirstStepGrowthDetail detail{
      .step = first_step.index, .second_step = second_step.index, .second_growth_bytes = growth_of(second)};
  add_left(first, growth, detail);
  if (detail.left.empty()) return {};
  Shape shape =
      first.shape(ShapeKind::kFirstStepGrowth, first.span(), first.level_at(first_step.end_sequence), growth);
  const std::uint64_t later = later_growth(facts, shape.level_bytes);
  if (later > growth / 10) detail.later_bytes = later;
  if (first.is_seen(left_of_kind(first, BlockKind::kState))) shape.remedies.push_back(Remedy::kEarlyState);
  if (leaves_gradients(facts, first)) shape.remedies.push_back(Remedy::kZeroGradAtEnd);
  add_release(facts, first, shape, detail);
  if (shape.remedies.empty()) shape.remedies.push_back(Remedy::kIsUsedAgain);
  shape.detail = std::move(detail);
  return {shape};
}

}  // namespace strata::analysis
