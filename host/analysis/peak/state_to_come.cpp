// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/state_to_come.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

struct Held {
  std::uint64_t parameter_bytes = 0, state_bytes = 0;
  std::uint32_t state_blocks = 0;
  bool has_gradient = false;
};

using HeldByParameter = std::unordered_map<std::string_view, Held>;

// "layers.0.weight.exp_avg" is of "layers.0.weight".
std::string_view parameter_of(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

bool is_in_first_optimizer_step(const Facts& facts, const OutOfMemory& failure) {
  const auto first = std::ranges::find(facts.phases, STRATA_PHASE_OPTIMIZER, &PhaseFact::kind);
  return first != facts.phases.end() && first->is_open_at(failure.held.sequence);
}

HeldByParameter held_by_parameter(const Facts& facts, const OutOfMemory& failure) {
  HeldByParameter held;
  for (const Block& block : facts.blocks) {
    const std::string_view name = facts.texts[block.name];
    if (name.empty() || !block.is_alive_at(failure.held.sequence)) continue;
    if (block.category == Category::kParameter) {
      held[name].parameter_bytes += block.bytes;
    } else if (block.category == Category::kGradient) {
      held[parameter_of(name)].has_gradient = true;
    } else if (block.category == Category::kOptimizerState) {
      Held& of = held[parameter_of(name)];
      of.state_bytes += block.bytes;
      ++of.state_blocks;
    }
  }
  return held;
}

}  // namespace

std::uint64_t state_to_come(const Facts& facts, const OutOfMemory& failure) {
  if (!is_in_first_optimizer_step(facts, failure)) return 0;
  const HeldByParameter held = held_by_parameter(facts, failure);
  std::uint32_t whole = 0;  // blocks of state that a parameter has when it has all
  for (const auto& [name, of] : held) whole = std::max(whole, of.state_blocks);
  if (whole == 0) return 0;
  double parameters = 0, state = 0, waiting = 0, made = 0;
  for (const auto& [name, of] : held) {
    const auto bytes = static_cast<double>(of.parameter_bytes);
    if (of.state_blocks == whole) {
      parameters += bytes;
      state += static_cast<double>(of.state_bytes);
    } else if (of.has_gradient) {
      waiting += bytes;
      made += static_cast<double>(of.state_bytes);
    }
  }
  if (parameters == 0) return 0;
  constexpr double kMost = 0x1p62;  // whatever a store says
  return static_cast<std::uint64_t>(
      std::llround(std::clamp(waiting * state / parameters - made, 0.0, kMost)));
}

std::uint64_t pass_to_come(const Facts& facts, const OutOfMemory& failure) {
  if (!facts.texts[failure.op].starts_with("aten::_foreach")) return 0;
  const std::uint64_t sequence = failure.held.sequence;
  const auto step = std::ranges::find_if(facts.phases, [&](const PhaseFact& phase) {
    return phase.kind == STRATA_PHASE_OPTIMIZER && phase.is_open_at(sequence);
  });
  if (step == facts.phases.end()) return 0;
  std::uint64_t whole = 0, made = 0;
  for (const auto& [name, of] : held_by_parameter(facts, failure))
    if (of.has_gradient) whole += of.parameter_bytes;
  for (const Block& block : facts.blocks) {
    const bool is_of_step = block.birth_sequence >= step->begin_sequence && block.birth_sequence <= sequence;
    if (is_of_step && facts.texts[block.op] == facts.texts[failure.op]) made += block.bytes;
  }
  return whole - std::min(made, whole);
}

}  // namespace strata::analysis
