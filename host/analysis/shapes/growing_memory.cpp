// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <vector>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

// Of fewer it is an evaluation's forwards that count.
constexpr std::size_t kStepsOfTraining = 3;

// What is there at the moment at which most of it is.
struct Growth {
  std::vector<const Block*> blocks;  // by birth
  std::set<std::uint32_t> forwards;
  std::set<std::int64_t> steps;
  std::uint64_t bytes = 0, sequence = 0;
  std::uint64_t first_death = UINT64_MAX;
  bool are_graphs = false;
};

Growth growth_of(const MemoryFacts& facts, const KeptFromEarlier& kept) {
  std::vector<const Block*> all;
  for (const KeptBlock& each : kept.blocks()) all.push_back(&facts.blocks[each.block]);
  Growth growth;
  growth.sequence = most_alive(all).sequence;
  const std::vector<KeptBlock> alive = kept.alive_at(growth.sequence);
  growth.are_graphs = are_of_graphs(facts, alive);
  for (const KeptBlock& each : alive) {
    const Block& block = facts.blocks[each.block];
    growth.blocks.push_back(&block);
    growth.forwards.insert(each.forward);
    growth.steps.insert(each.step);
    growth.bytes += block.bytes;
    growth.first_death = std::min(growth.first_death, block.death_sequence);
  }
  return growth;
}

GrowingMemoryDetail detail_of(const MemoryFacts& facts, const Growth& growth) {
  const bool is_by_step = growth.steps.size() >= kStepsOfTraining;
  return {.blocks = growth.blocks.size(),
          .forwards = growth.forwards.size(),
          .steps = growth.steps.size(),
          .first_step = *growth.steps.begin(),
          .last_step = *growth.steps.rbegin(),
          .is_by_step = is_by_step,
          // What nothing is born behind is taken down by the program's end.
          .lasts_to_end = growth.first_death >= facts.blocks.back().birth_sequence,
          .mean_bytes = growth.bytes / (is_by_step ? growth.steps.size() : growth.forwards.size()),
          .maker = main_maker(facts, growth.blocks)};
}

}  // namespace

std::vector<Shape> growing_memory(const MemoryFacts& facts) {
  const KeptFromEarlier kept(facts);
  if (kept.blocks().empty()) return {};
  const Growth growth = growth_of(facts, kept);
  const StepFact* const last = step_at(facts, growth.sequence);
  const StepFact* const first = step_at(facts, growth.blocks.front()->birth_sequence);
  if (last == nullptr || first == nullptr) return {};
  const StepView step(facts, *last, {});
  if (!step.is_seen(growth.bytes)) return {};
  Shape shape =
      step.shape(ShapeKind::kGrowingMemory, step.span(), step.level_at(growth.sequence), growth.bytes);
  shape.begin_ns = first->begin_ns;
  shape.count = growth.steps.size();
  shape.remedies = {growth.are_graphs ? Remedy::kDetachKept : Remedy::kMoveKept, Remedy::kNoGrad};
  shape.detail = detail_of(facts, growth);
  return {shape};
}

}  // namespace strata::analysis
