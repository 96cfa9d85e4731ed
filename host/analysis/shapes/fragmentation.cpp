// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/free_pieces.hpp"

namespace strata::analysis {
namespace {

// Of the most that is ever reserved: less is the allocator's rounding.
constexpr std::uint64_t kOneSegmentParts = 20, kManySegmentsParts = 10;

// In one piece it would have been that much less to take.
std::uint64_t spared_bytes(const SegmentTaken& taken) {
  return std::min(taken.bytes, taken.free_bytes);
}

std::uint64_t most_allocated(const MemoryFacts& facts) {
  std::uint64_t most = 0;
  for (const Point& point : facts.points) most = std::max(most, allocated_bytes(point));
  return most;
}

Shape shape_at(const MemoryFacts& facts, const SegmentTaken& taken, std::uint64_t bytes) {
  // Between two steps, as in an evaluation, the one before.
  const auto behind = std::ranges::upper_bound(facts.steps, taken.sequence, {}, &StepFact::begin_sequence);
  Shape shape;
  shape.kind = ShapeKind::kFragmentation;
  shape.device = facts.device;
  shape.step = behind == facts.steps.begin() ? -1 : std::prev(behind)->index;
  shape.begin_ns = shape.at_ns = taken.ns;
  shape.end_ns = facts.end_ns;
  shape.bytes = bytes;
  shape.level_bytes = taken.reserved_bytes;
  shape.remedies = {Remedy::kExpandableSegments};
  return shape;
}

Shape of_one_segment(const MemoryFacts& facts, const SegmentTaken& taken) {
  Shape shape = shape_at(facts, taken, spared_bytes(taken));
  shape.detail = OneSegmentDetail{taken.free_bytes, taken.bytes};
  return shape;
}

// Where no one segment is much, and all of them are.
Shape of_many_segments(const MemoryFacts& facts, const std::vector<SegmentTaken>& all,
                       std::uint64_t most_reserved, std::uint64_t allocated, std::uint64_t bytes) {
  const SegmentTaken& highest = std::ranges::max(all, {}, &SegmentTaken::reserved_bytes);
  const auto beside_free =
      std::ranges::count_if(all, [](const SegmentTaken& taken) { return spared_bytes(taken) > 0; });
  Shape shape = shape_at(facts, highest, bytes);
  shape.detail = ManySegmentsDetail{.reserved_bytes = most_reserved,
                                    .allocated_bytes = allocated,
                                    .segments = all.size(),
                                    .taken_beside_free = static_cast<std::uint64_t>(beside_free)};
  return shape;
}

}  // namespace

std::vector<Shape> fragmentation(const MemoryFacts& facts) {
  const std::vector<SegmentTaken> all = segments_taken(facts);
  if (all.empty()) return {};
  const auto worst = std::ranges::max_element(all, {}, spared_bytes);
  const std::uint64_t most_reserved = std::ranges::max(facts.reserved, {}, &ReservedPoint::bytes).bytes;
  std::uint64_t all_spared = 0;
  for (const SegmentTaken& taken : all) all_spared += spared_bytes(taken);
  const std::uint64_t allocated = most_allocated(facts);
  const std::uint64_t of_all = std::min(all_spared, most_reserved - std::min(most_reserved, allocated));
  // One segment is the plainer explanation, where it is nearly all.
  if (of_all / 5 > spared_bytes(*worst) / 4 && of_all * kManySegmentsParts >= most_reserved)
    return {of_many_segments(facts, all, most_reserved, allocated, of_all)};
  if (spared_bytes(*worst) == 0 || spared_bytes(*worst) * kOneSegmentParts < most_reserved) return {};
  return {of_one_segment(facts, *worst)};
}

}  // namespace strata::analysis
