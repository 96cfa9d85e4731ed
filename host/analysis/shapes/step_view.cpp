// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/step_view.hpp"

#include <algorithm>

#include "host/analysis/memory/timeline.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

std::span<const PhaseFact> phases_of(const MemoryFacts& facts, const StepFact& step) {
  const auto first =
      std::ranges::lower_bound(facts.phases, step.begin_sequence, {}, &PhaseFact::begin_sequence);
  const auto last = std::ranges::upper_bound(facts.phases, step.end_sequence, {}, &PhaseFact::begin_sequence);
  return {first, std::max(first, last)};
}

Span span_of(const PhaseFact& phase) {
  return {phase.begin_sequence, phase.end_sequence};
}

}  // namespace

const StepFact* step_at(const MemoryFacts& facts, std::uint64_t sequence) {
  const auto step = std::ranges::find_if(facts.steps, [&](const StepFact& each) {
    return each.begin_sequence <= sequence && sequence <= each.end_sequence;
  });
  return step == facts.steps.end() ? nullptr : &*step;
}

StepView::StepView(const MemoryFacts& facts, const StepFact& step, std::span<const Block* const> alive_before)
    : facts_(facts),
      step_(step),
      alive_before_(alive_before),
      phases_(phases_of(facts, step)),
      micro_batches_(find_micro_batches()) {}

std::span<const Block> StepView::born_in(const Span& span) const {
  const auto first = std::ranges::lower_bound(facts_.blocks, span.begin, {}, &Block::birth_sequence);
  const auto last = std::ranges::upper_bound(facts_.blocks, span.end, {}, &Block::birth_sequence);
  return {first, std::max(first, last)};
}

std::vector<Span> StepView::phases(std::uint32_t kind) const {
  std::vector<Span> found;
  std::uint64_t covered_until = 0;
  for (const PhaseFact& phase : phases_) {
    if (phase.begin_sequence < covered_until) continue;
    if (phase.kind == kind) found.push_back(span_of(phase));
    if (phase.kind == kind || phase.kind == STRATA_PHASE_BACKWARD) covered_until = phase.end_sequence;
  }
  return found;
}

std::vector<MicroBatch> StepView::find_micro_batches() const {
  std::vector<MicroBatch> found;
  std::uint64_t covered_until = 0;
  for (const PhaseFact& phase : phases_) {
    if (phase.begin_sequence < covered_until) continue;
    const bool is_open = !found.empty() && !found.back().backward;
    if (phase.kind == STRATA_PHASE_FORWARD) {
      if (is_open && !found.back().loss) {
        found.back().forward.end = std::max(found.back().forward.end, phase.end_sequence);
      } else {
        found.push_back({.forward = span_of(phase), .loss = std::nullopt, .backward = std::nullopt});
      }
    } else if (phase.kind == STRATA_PHASE_LOSS && is_open && !found.back().loss) {
      found.back().loss = span_of(phase);
    } else if (phase.kind == STRATA_PHASE_BACKWARD) {
      if (is_open) found.back().backward = span_of(phase);
      covered_until = phase.end_sequence;
    }
  }
  return found;
}

Level StepView::level_at(std::uint64_t sequence) const {
  const auto& points = facts_.points;
  const auto next = std::partition_point(points.begin(), points.end(),
                                         [&](const Point& point) { return point.sequence <= sequence; });
  if (next == points.begin()) return {sequence, step_.begin_ns, 0};
  const Point& point = *(next - 1);
  return {point.sequence, point.ns, allocated_bytes(point)};
}

Level StepView::highest(const Span& span) const {
  Level highest = level_at(span.begin);
  const PointRange range = points_within(facts_.points, span.begin, span.end);
  for (std::size_t index = range.first; index < range.last; ++index) {
    const Point& point = facts_.points[index];
    if (const std::uint64_t bytes = allocated_bytes(point); bytes > highest.bytes)
      highest = {point.sequence, point.ns, bytes};
  }
  return highest;
}

Shape StepView::shape(ShapeKind kind, const Span& extent, const Level& at, std::uint64_t bytes) const {
  const auto within = [&](std::int64_t ns) { return std::clamp(ns, step_.begin_ns, step_.end_ns); };
  Shape shape;
  shape.kind = kind;
  shape.device = facts_.device;
  shape.step = step_.index;
  // Between two events nothing changes: a shape ends where the event after its last level is.
  const auto next = points_within(facts_.points, extent.end, step_.end_sequence);
  shape.begin_ns = within(level_at(extent.begin).ns);
  shape.end_ns = within(next.first < next.last ? facts_.points[next.first].ns : step_.end_ns);
  shape.at_ns = within(at.ns);
  shape.bytes = bytes;
  shape.level_bytes = at.bytes;
  return shape;
}

}  // namespace strata::analysis
