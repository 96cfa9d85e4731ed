// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/shapes/expandable_segments.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/free_pieces.hpp"

namespace strata::analysis {
namespace {

// Of the most that is ever reserved: less is the allocator's rounding.
constexpr std::uint64_t kSeenParts = 20, kManySegmentsParts = 10;

// In one piece it would have been that much less to take.
std::uint64_t spared_bytes(const SegmentTaken& taken) {
  return std::min(taken.bytes, taken.free_bytes);
}

std::uint64_t most_allocated(const MemoryFacts& facts) {
  std::uint64_t most = 0;
  for (const Point& point : facts.points) most = std::max(most, allocated_bytes(point));
  return most;
}

// A moment at which the allocator reserved a segment.
struct ReservedMoment {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t reserved_bytes = 0;
};

Shape shape_at(const MemoryFacts& facts, ShapeKind kind, const ReservedMoment& moment, std::uint64_t bytes) {
  // Between two steps, as in an evaluation, the one before.
  const auto behind = std::ranges::upper_bound(facts.steps, moment.sequence, {}, &StepFact::begin_sequence);
  Shape shape;
  shape.kind = kind;
  shape.device = facts.device;
  shape.step = behind == facts.steps.begin() ? -1 : std::prev(behind)->index;
  shape.begin_ns = shape.at_ns = moment.ns;
  shape.end_ns = facts.end_ns;
  shape.bytes = bytes;
  shape.level_bytes = moment.reserved_bytes;
  return shape;
}

// Where no one segment is much, and all of them are.
ManySegmentsDetail of_many_segments(const std::vector<SegmentTaken>& all) {
  const auto beside_free =
      std::ranges::count_if(all, [](const SegmentTaken& taken) { return spared_bytes(taken) > 0; });
  return {.segments = all.size(), .taken_beside_free = static_cast<std::uint64_t>(beside_free)};
}

std::vector<Shape> pieces(const MemoryFacts& facts, const ReservedMemory& memory,
                          std::uint64_t most_reserved) {
  const std::vector<SegmentTaken>& all = memory.taken;
  if (all.empty()) return {};
  const SegmentTaken& worst = *std::ranges::max_element(all, {}, spared_bytes);
  const std::uint64_t of_worst = std::min(spared_bytes(worst), memory.unused.pieces_bytes);
  std::uint64_t all_spared = 0;
  for (const SegmentTaken& taken : all) all_spared += spared_bytes(taken);
  const std::uint64_t allocated = most_allocated(facts);
  const std::uint64_t of_all =
      std::min({all_spared, memory.unused.pieces_bytes, most_reserved - std::min(most_reserved, allocated)});
  // One segment is the plainer explanation, where it is nearly all.
  const bool is_of_all = of_all / 5 > of_worst / 4 && of_all * kManySegmentsParts >= most_reserved;
  if (!is_of_all && (of_worst == 0 || of_worst * kSeenParts < most_reserved)) return {};

  const SegmentTaken& shown = is_of_all ? std::ranges::max(all, {}, &SegmentTaken::reserved_bytes) : worst;
  Shape shape = shape_at(facts, ShapeKind::kFragmentation, {shown.sequence, shown.ns, shown.reserved_bytes},
                         is_of_all ? of_all : of_worst);
  const std::uint64_t if_expandable = most_reserved_if_expandable(facts);
  const bool gains =
      if_expandable < most_reserved && (most_reserved - if_expandable) * kSeenParts >= most_reserved;
  shape.remedies = {gains ? Remedy::kExpandableSegments : Remedy::kNotExpandableSegments};
  if (is_of_all) {
    ManySegmentsDetail detail = of_many_segments(all);
    detail.reserved_bytes = most_reserved;
    detail.allocated_bytes = allocated;
    detail.if_expandable_bytes = if_expandable;
    shape.detail = detail;
  } else {
    shape.detail = OneSegmentDetail{.free_bytes = worst.free_bytes,
                                    .taken_bytes = worst.bytes,
                                    .most_reserved_bytes = most_reserved,
                                    .if_expandable_bytes = if_expandable};
  }
  return {shape};
}

}  // namespace

std::vector<Shape> unused_reserved(const MemoryFacts& facts) {
  const ReservedMemory memory = reserved_memory(facts);
  const UnusedReserved& unused = memory.unused;
  if (unused.reserved_bytes == 0) return {};
  const std::uint64_t most_reserved = std::ranges::max(facts.reserved, {}, &ReservedPoint::bytes).bytes;
  std::vector<Shape> shapes = pieces(facts, memory, most_reserved);
  const auto add = [&](ShapeKind kind, std::uint64_t bytes, Remedy remedy, ShapeDetail detail) {
    if (bytes == 0 || bytes * kSeenParts < most_reserved) return;
    const ReservedMoment moment{unused.sequence, unused.ns, unused.reserved_bytes};
    shapes.push_back(shape_at(facts, kind, moment, bytes));
    shapes.back().remedies = {remedy};
    shapes.back().detail = std::move(detail);
  };
  add(ShapeKind::kStreamCaches, unused.streams_bytes, Remedy::kOneStream,
      StreamCachesDetail{unused.streams, unused.reserved_bytes});
  if (unused.pools > 1)
    add(ShapeKind::kPrivatePools, unused.pools_bytes, Remedy::kOnePool,
        PrivatePoolsDetail{unused.pools, unused.reserved_bytes});
  add(ShapeKind::kDeferredFrees, unused.deferred_bytes, Remedy::kWaitForStream,
      DeferredFreesDetail{unused.most_deferred_bytes});
  return shapes;
}

}  // namespace strata::analysis
