// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/peak/step_growth.hpp"
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

// The one that a block of a step was made in, or before.
const StepFact& first_step(const MemoryFacts& facts, const Block& block) {
  return *std::ranges::lower_bound(facts.steps, block.birth_sequence, {}, &StepFact::end_sequence);
}

// Of `blocks`, by birth, that are alive then; without remedies and detail. Empty if they are too few to see.
std::vector<Shape> shape_of(const MemoryFacts& facts, const std::vector<const Block*>& blocks,
                            std::uint64_t sequence, std::uint64_t bytes) {
  const StepFact* const last = step_at(facts, sequence);
  if (last == nullptr) return {};
  const StepView step(facts, *last, {});
  if (!step.is_seen(bytes)) return {};
  Shape shape = step.shape(ShapeKind::kGrowingMemory, step.span(), step.level_at(sequence), bytes);
  shape.begin_ns = first_step(facts, *blocks.front()).begin_ns;
  return {shape};
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

// Of kept blocks, at the moment at which most of them are alive.
std::vector<Shape> growth_of_forwards(const MemoryFacts& facts, const KeptFromEarlier& kept) {
  if (kept.blocks().empty()) return {};
  const Growth growth = growth_of(facts, kept);
  std::vector<Shape> shapes = shape_of(facts, growth.blocks, growth.sequence, growth.bytes);
  for (Shape& shape : shapes) {
    shape.count = growth.steps.size();
    shape.remedies = {growth.are_graphs ? Remedy::kDetachKept : Remedy::kMoveKept, Remedy::kNoGrad};
    shape.detail = detail_of(facts, growth);
  }
  return shapes;
}

std::vector<Shape> growth_of_steps(const MemoryFacts& facts, const KeptFromEarlier& kept) {
  const StepGrowth steps(facts, kept);
  if (steps.blocks().empty()) return {};
  std::vector<const Block*> all;
  for (const std::uint32_t block : steps.blocks()) all.push_back(&facts.blocks[block]);
  const std::uint64_t sequence = most_alive(all).sequence;
  const std::vector<const Block*> alive = steps.alive_at(sequence);
  const std::uint64_t bytes = bytes_of(alive);
  std::uint64_t first_death = UINT64_MAX;
  for (const Block* block : alive) first_death = std::min(first_death, block->death_sequence);
  std::vector<Shape> shapes = shape_of(facts, alive, sequence, bytes);
  for (Shape& shape : shapes) {
    shape.count = steps_of(facts, alive);
    shape.remedies = {Remedy::kReleaseGrowth};
    shape.detail = StepGrowthDetail{.blocks = alive.size(),
                                    .steps = shape.count,
                                    .first_step = first_step(facts, *alive.front()).index,
                                    .last_step = shape.step,
                                    .lasts_to_end = first_death >= facts.blocks.back().birth_sequence,
                                    .mean_bytes = bytes / shape.count,
                                    .phase = main_phase(facts, alive),
                                    .maker = main_maker(facts, alive)};
  }
  return shapes;
}

}  // namespace

std::vector<Shape> growing_memory(const MemoryFacts& facts) {
  const KeptFromEarlier kept(facts);
  std::vector<Shape> shapes = growth_of_forwards(facts, kept);
  std::ranges::move(growth_of_steps(facts, kept), std::back_inserter(shapes));
  return shapes;
}

}  // namespace strata::analysis
