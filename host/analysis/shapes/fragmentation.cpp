// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/free_pieces.hpp"
#include "host/analysis/shapes/said.hpp"

namespace strata::analysis {
namespace {

// Of the most that is ever reserved: less is the allocator's rounding.
constexpr std::uint64_t kFragmentParts = 20;

// In one piece it would have been that much less to take.
std::uint64_t spared_bytes(const SegmentTaken& taken) {
  return std::min(taken.bytes, taken.free_bytes);
}

}  // namespace

std::vector<Shape> fragmentation(const Facts& facts) {
  const std::vector<SegmentTaken> all = segments_taken(facts);
  const auto worst = std::ranges::max_element(all, {}, spared_bytes);
  if (worst == all.end()) return {};
  const std::uint64_t most_reserved = std::ranges::max(facts.reserved, {}, &ReservedPoint::bytes).bytes;
  if (spared_bytes(*worst) == 0 || spared_bytes(*worst) * kFragmentParts < most_reserved) return {};
  const auto step = std::ranges::find_if(facts.steps, [&](const StepFact& each) {
    return each.begin_sequence <= worst->sequence && worst->sequence <= each.end_sequence;
  });
  Shape shape;
  shape.kind = ShapeKind::kFragmentation;
  shape.device = facts.device;
  shape.step = step == facts.steps.end() ? -1 : step->index;
  shape.begin_ns = shape.at_ns = worst->ns;
  shape.end_ns = facts.end_ns;
  shape.bytes = spared_bytes(*worst);
  shape.level_bytes = worst->reserved_bytes;
  shape.sentence = fmt::format(
      "Reserved and not allocated: {} were free, in pieces that were too small, when the allocator took "
      "another {}.",
      said_bytes(worst->free_bytes), said_bytes(worst->bytes));
  shape.remedy =
      "PYTORCH_ALLOC_CONF=expandable_segments:True, which grows a segment instead of taking another";
  shape.evidence =
      fmt::format("a segment of {} taken while {} of large segments of the same stream and pool were free",
                  said_bytes(worst->bytes), said_bytes(worst->free_bytes));
  return {shape};
}

}  // namespace strata::analysis
