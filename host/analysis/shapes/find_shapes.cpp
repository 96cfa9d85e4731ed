// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/find_shapes.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

constexpr std::array kStepRules{constant_band,      forward_triangles,   autocast_copies,
                                logits_shapes,      zero_grad_cliffs,    backward_starts,
                                head_gradients,     embedding_gradients, recomputation_waves,
                                optimizer_plateaus, division_flagpoles,  projector_spikes};
constexpr std::array kRunRules{repeating_steps, first_step_growth, growing_memory, unused_graphs,
                               unused_reserved};

// Blocks alive when a step begins, step after step.
class AliveBefore {
 public:
  explicit AliveBefore(const std::vector<Block>& blocks) : blocks_(blocks) {}

  const std::vector<const Block*>& at(std::uint64_t sequence) {
    for (; next_ < blocks_.size() && blocks_[next_].birth_sequence < sequence; ++next_)
      alive_.push_back(&blocks_[next_]);
    std::erase_if(alive_, [&](const Block* block) { return block->death_sequence < sequence; });
    return alive_;
  }

 private:
  const std::vector<Block>& blocks_;
  std::size_t next_ = 0;
  std::vector<const Block*> alive_;
};

// What makes two shapes of two steps the same.
using ShapeKey = std::pair<ShapeKind, std::string>;

// The largest of each in one step: each micro-batch may have it.
std::map<ShapeKey, Shape> shapes_of(const StepView& step) {
  std::map<ShapeKey, Shape> shapes;
  for (const auto rule : kStepRules) {
    for (Shape& shape : rule(step)) {
      const auto [place, is_new] = shapes.try_emplace({shape.kind, shape.layer}, shape);
      if (!is_new && shape.bytes > place->second.bytes) place->second = std::move(shape);
    }
  }
  return shapes;
}

// Where the preferred step has it not, it is shown for the one that has most of it, the first of several.
void merge(std::map<ShapeKey, Shape>& all, const std::map<ShapeKey, Shape>& of_step,
           std::int64_t preferred_step) {
  for (const auto& [key, shape] : of_step) {
    const auto [place, is_new] = all.try_emplace(key, shape);
    if (is_new) continue;
    const std::uint64_t count = place->second.count + 1;
    const bool is_larger = shape.bytes > place->second.bytes && place->second.step != preferred_step;
    if (shape.step == preferred_step || is_larger) place->second = shape;
    place->second.count = count;
  }
}

}  // namespace

std::vector<Shape> find_shapes(const MemoryFacts& facts, std::optional<std::int64_t> shown_step) {
  const std::int64_t preferred_step = shown_step.value_or(facts.peak.step);
  std::map<ShapeKey, Shape> found;
  AliveBefore alive(facts.blocks);
  for (const StepFact& step : facts.steps) {
    if (!step.complete || step.index < facts.first_step || step.index > facts.last_step) continue;
    merge(found, shapes_of(StepView(facts, step, alive.at(step.begin_sequence))), preferred_step);
  }
  std::vector<Shape> shapes;
  shapes.reserve(found.size());
  for (auto& [unused, shape] : found) shapes.push_back(std::move(shape));
  for (const auto rule : kRunRules) std::ranges::move(rule(facts), std::back_inserter(shapes));
  std::ranges::stable_sort(shapes, {}, [](const Shape& shape) { return std::pair(shape.at_ns, shape.kind); });
  return shapes;
}

}  // namespace strata::analysis
