// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/memory/said.hpp"
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
  const std::string_view op = step.text(highest->front()->op);
  shape.sentence = fmt::format(
      "The optimizer takes all parameters together: {} for {} at once, {}, stripe on stripe, and frees them "
      "at the end.",
      op, said_count(top.blocks, "parameter", "parameters"), said_bytes(top.bytes));
  shape.remedy =
      "optimizer.impl: fused makes none of these temporaries, optimizer.impl: loop those of one parameter at "
      "a time";
  shape.evidence = fmt::format("{} by {} alive at one moment in the optimizer, of {}",
                               said_count(top.blocks, "temporary", "temporaries"), op,
                               said_count(held.parameter_blocks, "parameter", "parameters"));
  return {shape};
}

std::vector<Shape> flat_shape(const StepView& step, const Span& phase, const HeldThen& held) {
  const Level begin = step.level_at(phase.begin), top = step.highest(phase);
  const bool has_gradients = held.gradients >= held.parameters / 2 && held.parameters > 0;
  const bool is_flat = top.bytes - begin.bytes <= step.step().peak_allocated_bytes / kFlatParts;
  const std::uint64_t bytes = held.parameters + held.gradients + held.state;
  if (!has_gradients || held.state == 0 || !is_flat || !step.is_seen(bytes)) return {};
  Shape shape = step.shape(ShapeKind::kFlatOptimizer, phase, begin, bytes);
  shape.sentence = fmt::format(
      "The optimizer works in place on {}: {} of parameters, {} of gradients, {} of state, and no "
      "temporaries, as a "
      "fused one does.",
      said_bytes(bytes), said_bytes(held.parameters), said_bytes(held.gradients), said_bytes(held.state));
  const bool has_two_moments = held.state > held.parameters;
  shape.remedy =
      fmt::format("optimizer.per_layer: true never holds all gradients{}",
                  has_two_moments ? "; optimizer.name: adam8bit holds a quarter of Adam's state" : "");
  shape.evidence = "gradients are there, and the level rises by less than a thousandth of the step's peak";
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
