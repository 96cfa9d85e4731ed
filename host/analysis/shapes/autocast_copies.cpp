// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

// Without a cache a copy goes before the next one comes.
constexpr std::uint64_t kLeastCopies = 3;

}  // namespace

std::vector<Shape> autocast_copies(const StepView& step) {
  std::vector<const Block*> copies;
  for (const Block& block : step.born()) {
    if (block.kind == BlockKind::kAutocastCopy) copies.push_back(&block);
  }
  const MostAlive most = most_alive(copies);
  if (most.blocks < kLeastCopies || !step.is_seen(most.bytes)) return {};
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const Block* copy : copies) {
    first = std::min(first, copy->birth_sequence);
    last = std::max(last, std::min(copy->death_sequence, step.step().end_sequence));
  }
  Shape shape =
      step.shape(ShapeKind::kAutocastCopies, {first, last}, step.level_at(most.sequence), most.bytes);
  shape.remedies = {Remedy::kHalfPrecision, Remedy::kNoAutocastCache};
  shape.detail = AutocastCopiesDetail{most.blocks};
  return {shape};
}

}  // namespace strata::analysis
