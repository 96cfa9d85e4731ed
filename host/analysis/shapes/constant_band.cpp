// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

// Beside less than this share of a step's peak no band is seen under it.
constexpr std::uint64_t kBandParts = 20;

}  // namespace

std::vector<Shape> constant_band(const StepView& step) {
  std::uint64_t parameters = 0, state = 0, blocks = 0;
  for (const Block* block : step.alive_before()) {
    const bool is_parameter = block->category == Category::kParameter;
    if (!is_parameter && block->category != Category::kOptimizerState) continue;
    if (block->death_sequence <= step.step().end_sequence) continue;
    (is_parameter ? parameters : state) += block->bytes;
    ++blocks;
  }
  const std::uint64_t bytes = parameters + state;
  if (bytes == 0 || bytes * kBandParts < step.step().peak_allocated_bytes) return {};
  const std::uint64_t middle =
      step.step().begin_sequence + (step.step().end_sequence - step.step().begin_sequence) / 2;
  Level at = step.level_at(middle);
  at.bytes = bytes;
  Shape shape = step.shape(ShapeKind::kConstantBand, step.span(), at, bytes);
  if (state >= parameters) shape.remedies.push_back(Remedy::kSmallerState);
  shape.remedies.push_back(Remedy::kHalfPrecision);
  shape.detail = ConstantBandDetail{blocks, parameters, state};
  return {shape};
}

}  // namespace strata::analysis
