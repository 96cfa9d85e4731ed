// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

// The sizes of a step's allocations and frees, as asked for, in their order.
std::vector<std::int64_t> changes_of(const MemoryFacts& facts, const StepFact& step) {
  const PointRange range = points_within(facts.points, step.begin_sequence, step.end_sequence);
  const auto requested = [&](std::size_t index) {
    const Point& point = facts.points[index];
    return static_cast<std::int64_t>(allocated_bytes(point) - point.rounding_bytes);
  };
  std::vector<std::int64_t> changes;
  std::int64_t before = range.first == 0 ? 0 : requested(range.first - 1);
  for (std::size_t index = range.first; index < range.last; ++index) {
    changes.push_back(requested(index) - before);
    before = requested(index);
  }
  return changes;
}

struct EqualSteps {
  std::size_t first = 0, steps = 0;
  std::size_t changes = 0;      // of each step
  std::int64_t left_bytes = 0;  // of each step: how much more is there at its end
};

EqualSteps longest_repetition(const MemoryFacts& facts, const std::vector<const StepFact*>& steps) {
  EqualSteps longest, equal;
  std::vector<std::int64_t> before;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    std::vector<std::int64_t> changes = changes_of(facts, *steps[index]);
    const bool follows = index > 0 && steps[index - 1]->index + 1 == steps[index]->index;
    if (!follows || changes != before)
      equal = {index, 0, changes.size(), std::accumulate(changes.begin(), changes.end(), std::int64_t{0})};
    ++equal.steps;
    if (equal.steps > longest.steps) longest = equal;
    before = std::move(changes);
  }
  return longest;
}

// All of them together leave less than a hundredth of one's height.
bool come_back(const EqualSteps& equal, std::uint64_t height) {
  return static_cast<std::uint64_t>(std::abs(equal.left_bytes)) * equal.steps * 100 <= height;
}

}  // namespace

std::vector<Shape> repeating_steps(const MemoryFacts& facts) {
  std::vector<const StepFact*> steps;
  for (const StepFact& step : facts.steps) {
    if (step.complete && step.index >= facts.first_step && step.index <= facts.last_step)
      steps.push_back(&step);
  }
  const EqualSteps equal = longest_repetition(facts, steps);
  if (equal.steps < 2 || equal.changes == 0) return {};
  const StepFact& first = *steps[equal.first];
  const StepFact& second = *steps[equal.first + 1];
  const StepFact& last = *steps[equal.first + equal.steps - 1];
  const StepView step(facts, second, {});
  const Level begin = step.level_at(second.begin_sequence);
  const std::uint64_t height = step.highest(step.span()).bytes - begin.bytes;
  if (!step.is_seen(height)) return {};
  Shape shape = step.shape(ShapeKind::kRepeatingStep, step.span(), begin, height);
  shape.begin_ns = first.begin_ns;
  shape.end_ns = last.end_ns;
  shape.at_ns = second.begin_ns;
  shape.count = equal.steps;
  const bool comes_back = come_back(equal, height);
  shape.remedies = {comes_back || equal.left_bytes < 0 ? Remedy::kIsTraining : Remedy::kReleaseLeftover};
  shape.detail = RepeatingStepDetail{first.index, last.index, equal.changes, equal.left_bytes, comes_back};
  return {shape};
}

}  // namespace strata::analysis
