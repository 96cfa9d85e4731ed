// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/families.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// A flat optimizer rises by less than this share of the step's peak.
constexpr std::uint64_t kFlatParts = 1000;

struct HeldThen {
  std::uint64_t parameters = 0, parameter_blocks = 0, gradients = 0, state = 0;
};

HeldThen held_at(const StepView& step, std::uint64_t sequence) {
  HeldThen held;
  const auto add = [&](const Block& block) {
    if (!block.is_alive_at(sequence)) return;
    if (block.kind == BlockKind::kParameter) {
      held.parameters += block.bytes;
      ++held.parameter_blocks;
    }
    if (block.category == Category::kGradient) held.gradients += block.bytes;
    if (block.category == Category::kOptimizerState) held.state += block.bytes;
  };
  for (const Block* block : step.alive_before()) add(*block);
  for (const Block& block : step.born_in({step.step().begin_sequence, sequence})) add(block);
  return held;
}

// Temporaries of one operator for half of all parameters at once: it runs over lists of them.
std::vector<Shape> plateau_shape(const StepView& step, const Span& phase, const HeldThen& held) {
  std::map<std::uint32_t, std::vector<const Block*>> by_op;
  for (const Block& block : step.born_in(phase)) {
    if (block.kind == BlockKind::kOptimizerTemp) by_op[block.op].push_back(&block);
  }
  const std::uint64_t least = std::max<std::uint64_t>(3, (held.parameter_blocks + 1) / 2);
  const std::vector<const Block*>* highest = nullptr;
  MostAlive top;
  for (const auto& [unused, blocks] : by_op) {
    const MostAlive most = most_alive(blocks);
    if (most.blocks < least || most.bytes <= top.bytes) continue;
    top = most;
    highest = &blocks;
  }
  if (highest == nullptr || !step.is_seen(top.bytes)) return {};
  const std::uint64_t last = std::ranges::max(*highest, {}, &Block::death_sequence)->death_sequence;
  Shape shape = step.shape(ShapeKind::kOptimizerPlateau, {highest->front()->birth_sequence, last},
                           step.level_at(top.sequence), top.bytes);
  shape.remedies = {Remedy::kFusedOptimizer, Remedy::kLoopOptimizer};
  shape.detail = OptimizerPlateauDetail{.op = std::string(step.text(highest->front()->op)),
                                        .temporaries = top.blocks,
                                        .parameters = held.parameter_blocks};
  return {shape};
}

std::vector<Shape> flat_shape(const StepView& step, const Span& phase, const HeldThen& held) {
  const Level begin = step.level_at(phase.begin), top = step.highest(phase);
  const bool has_gradients = held.gradients >= held.parameters / 2 && held.parameters > 0;
  const bool is_flat = top.bytes - begin.bytes <= step.step().peak_allocated_bytes / kFlatParts;
  const std::uint64_t bytes = held.parameters + held.gradients + held.state;
  if (!has_gradients || held.state == 0 || !is_flat || !step.is_seen(bytes)) return {};
  Shape shape = step.shape(ShapeKind::kFlatOptimizer, phase, begin, bytes);
  shape.remedies = {Remedy::kPerLayerOptimizer};
  const bool has_two_moments = held.state > held.parameters;
  if (has_two_moments) shape.remedies.push_back(Remedy::kSmallerState);
  shape.detail = FlatOptimizerDetail{held.parameters, held.gradients, held.state};
  return {shape};
}

}  // namespace

std::vector<Shape> optimizer_plateaus(const StepView& step) {
  std::vector<Shape> shapes;
  const std::vector<Span> phases = step.phases(STRATA_PHASE_OPTIMIZER);
  for (const Span& phase : phases) {
    const HeldThen held = held_at(step, phase.begin);
    for (Shape& shape : plateau_shape(step, phase, held)) shapes.push_back(std::move(shape));
    if (phases.size() > 1) continue;
    for (Shape& shape : flat_shape(step, phase, held)) shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace strata::analysis
