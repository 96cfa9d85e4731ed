// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "host/analysis/memory/said.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

// Beside less than this share of a step's peak no band is seen under it.
constexpr std::uint64_t kBandParts = 20;

std::string band_remedy(std::uint64_t parameters, std::uint64_t state) {
  constexpr std::string_view kNarrower = "16-bit weights (precision: bf16) halve what is in 32 bits";
  if (state < parameters) return std::string(kNarrower);
  return fmt::format(
      "8-bit moments (optimizer.name: adam8bit) or one moment (lion, sgd with momentum) make the state "
      "smaller; {}",
      kNarrower);
}

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
  shape.sentence =
      fmt::format("{} are there from the step's begin to its end: {} of parameters, {} of optimizer state.",
                  said_bytes(bytes), said_bytes(parameters), said_bytes(state));
  shape.remedy = band_remedy(parameters, state);
  shape.evidence = fmt::format("{} of Parameter and Optimizer_State, born before step {} and alive after it",
                               said_count(blocks, "block", "blocks"), step.step().index);
  return {shape};
}

}  // namespace strata::analysis
