// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/still_to_come.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/analysis/layers/any_number.hpp"
#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/evaluations.hpp"
#include "host/analysis/peak/whole_model.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/analysis/timeline.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

constexpr double kMost = 0x1p62;  // bytes, whatever a store says

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

bool has_stepped(const Facts& facts, const OutOfMemory& failure) {
  return has_begun(facts.phases, STRATA_PHASE_OPTIMIZER, failure.held.sequence) ||
         failure.held.categories[static_cast<std::size_t>(Category::kOptimizerState)] > 0;
}

HeldByParameter held_by_parameter(const Facts& facts, const OutOfMemory& failure) {
  HeldByParameter held;
  for (const Block& block : facts.blocks) {
    const std::string_view name = facts.texts[block.name];
    if (name.empty() || !block.is_alive_at(failure.held.sequence)) continue;
    if (block.category == Category::kParameter) {
      held[name].parameter_bytes += block.bytes;
    } else if (block.category == Category::kGradient) {
      held[trained_by(name)].has_gradient = true;
    } else if (block.category == Category::kOptimizerState) {
      Held& of = held[parameter_of(name)];
      of.state_bytes += block.bytes;
      ++of.state_blocks;
    }
  }
  return held;
}

bool has_gone_backward(const Facts& facts, const OutOfMemory& failure) {
  return std::ranges::any_of(facts.phases, [&](const PhaseFact& phase) {
    return phase.kind == STRATA_PHASE_BACKWARD && phase.end_sequence <= failure.held.sequence;
  });
}

std::uint64_t trained_bytes(const Facts& facts, const OutOfMemory& failure) {
  const auto trained = trained_parameters(facts);
  std::uint64_t bytes = 0;
  for (const Block& block : facts.blocks) {
    if (block.category != Category::kParameter || !block.is_alive_at(failure.held.sequence)) continue;
    if (is_trained(facts, block, trained)) bytes += block.bytes;
  }
  return bytes;
}

struct Family {
  std::map<std::string_view, std::uint64_t> parameter_bytes;  // by block: "layers.0", "layers.1"...
  std::unordered_map<std::string_view, std::uint64_t> kept;   // by those that this forward came to
  std::uint64_t last_kept_sequence = 0;
  bool is_trained = false;  // in part

  std::uint64_t most_kept() const {
    std::uint64_t most = 0;
    for (const auto& [block, bytes] : kept) most = std::max(most, bytes);
    return most;
  }
  double bytes_of_one() const {
    double bytes = 0;
    for (const auto& [block, parameters] : parameter_bytes) bytes += static_cast<double>(parameters);
    return bytes / static_cast<double>(std::max<std::size_t>(parameter_bytes.size(), 1));
  }
};

// By the stem of its blocks: "layers.", or of one stage of several "stages.2.".
using Families = std::map<std::string_view, Family>;

// At `sequence`, of that forward.
Families families_of(const Facts& facts, std::uint64_t sequence, const PhaseFact& forward) {
  Families families;
  for (const Block& block : facts.blocks) {
    if (!block.is_alive_at(sequence)) continue;
    const bool is_parameter = block.category == Category::kParameter;
    const bool is_kept =
        block.category == Category::kActivation && block.birth_sequence >= forward.begin_sequence;
    if (!is_parameter && !is_kept) continue;
    const std::uint32_t text = is_parameter ? block.name : block.saver != 0 ? block.saver : block.layer;
    const std::string_view repeated = repeated_block(facts, text);
    if (repeated.empty()) continue;
    Family& family = families[stem_of_siblings(repeated)];
    if (is_parameter) {
      family.parameter_bytes[repeated] += block.bytes;
      family.is_trained |= block.kind == "parameter" && !block.is_frozen;
    } else {
      family.kept[repeated] += block.bytes;
      family.last_kept_sequence = block.birth_sequence;
    }
  }
  return families;
}

std::uint64_t kept_bytes(const Families& families) {
  std::uint64_t sum = 0;
  for (const auto& [stem, family] : families)
    for (const auto& [block, bytes] : family.kept) sum += bytes;
  return sum;
}

// By the forward before that one, to its end; 0 where none went to its end, or no backward is to come.
std::uint64_t kept_before(const Facts& facts, std::uint64_t sequence, const PhaseFact& forward) {
  const PhaseFact* const before = forward_before(facts, forward);
  if (before == nullptr || !has_backward_to_come(facts, sequence)) return 0;
  return kept_bytes(families_of(facts, before->end_sequence, *before));
}

// The stage that the forward was in, of those whose paths differ from `stem` in numbers alone.
const Family* stage_before(const Families& families, std::string_view stem) {
  const Family* last = nullptr;
  const std::string form = with_any_number(stem);
  for (const auto& [other, family] : families) {
    if (family.kept.empty() || with_any_number(other) != form) continue;
    if (last == nullptr || family.last_kept_sequence > last->last_kept_sequence) last = &family;
  }
  return last;
}

// Where a stage is twice as wide, its weights are four times as large and a picture has a quarter of the
// places: what it keeps is half as much.
std::uint64_t kept_of_stage(const Family& stage, const Family& before) {
  if (stage.bytes_of_one() == 0) return 0;
  const double times = std::sqrt(before.bytes_of_one() / stage.bytes_of_one());
  return static_cast<std::uint64_t>(std::min(times * static_cast<double>(before.most_kept()), kMost));
}

}  // namespace

const PhaseFact* forward_before(const Facts& facts, const PhaseFact& forward) {
  const PhaseFact* before = nullptr;
  const PhaseFact* last = nullptr;
  for (const PhaseFact& phase : facts.phases) {
    if (phase.begin_sequence >= forward.begin_sequence) break;
    if (phase.kind == STRATA_PHASE_FORWARD) last = &phase;
    if (phase.kind == STRATA_PHASE_BACKWARD) before = last;
  }
  return before;
}

std::string_view trained_by(std::string_view gradient) {
  constexpr std::string_view kGradient = ".grad";
  if (gradient.ends_with(kGradient)) gradient.remove_suffix(kGradient.size());
  return gradient;
}

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
  return static_cast<std::uint64_t>(
      std::llround(std::clamp(waiting * state / parameters - made, 0.0, kMost)));
}

std::uint64_t pass_to_come(const Facts& facts, const OutOfMemory& failure) {
  if (!facts.texts[failure.op].starts_with("aten::_foreach")) return 0;
  const std::uint64_t sequence = failure.held.sequence;
  const PhaseFact* const step = open_phase(facts.phases, STRATA_PHASE_OPTIMIZER, sequence);
  if (step == nullptr) return 0;
  std::uint64_t whole = 0, made = 0;
  for (const auto& [name, of] : held_by_parameter(facts, failure))
    if (of.has_gradient) whole += of.parameter_bytes;
  for (const Block& block : facts.blocks) {
    const bool is_of_step = block.birth_sequence >= step->begin_sequence && block.birth_sequence <= sequence;
    if (is_of_step && facts.texts[block.op] == facts.texts[failure.op]) made += block.bytes;
  }
  return whole - std::min(made, whole);
}

ForwardToCome forward_to_come(const Facts& facts, const OutOfMemory& failure) {
  const PhaseFact* const forward = open_phase(facts.phases, STRATA_PHASE_FORWARD, failure.held.sequence);
  if (forward == nullptr) return {};
  const Families families = families_of(facts, failure.held.sequence, *forward);
  ForwardToCome to_come;
  const bool is_first =
      !has_gone_backward(facts, failure) && has_backward_to_come(facts, failure.held.sequence);
  to_come.is_untold =
      is_first && std::ranges::all_of(families, [](const auto& each) { return each.second.kept.empty(); });
  for (const auto& [stem, family] : families) {
    const Family* const before = family.kept.empty() ? stage_before(families, stem) : nullptr;
    const std::uint64_t each = before == nullptr ? family.most_kept() : kept_of_stage(family, *before);
    for (const auto& [block, unused] : family.parameter_bytes)
      to_come.bytes += family.kept.contains(block) ? 0 : each;
    to_come.has_stages |= before != nullptr;
    to_come.has_other_blocks |=
        family.kept.empty() && before == nullptr && family.parameter_bytes.size() > 1 && family.is_trained;
  }
  to_come.is_untold |= is_first && to_come.has_other_blocks;
  const std::uint64_t whole = kept_before(facts, failure.held.sequence, *forward);
  const std::uint64_t kept = kept_bytes(families);
  if (whole > 0 && kept <= whole)
    return {.bytes = whole - kept, .is_as_before = true, .has_other_blocks = to_come.has_other_blocks};
  to_come.is_untold |= whole > 0;
  return to_come;
}

std::uint64_t loss_to_come(const Facts& facts, const OutOfMemory& failure) {
  const std::string_view op = facts.texts[failure.op];
  if (op.starts_with("aten::nll_loss") && op.ends_with("_backward")) return failure.requested_bytes;
  const std::uint64_t sequence = failure.held.sequence;
  const bool is_kept = std::ranges::any_of(facts.blocks, [&](const Block& block) {
    return is_for_backward(block) && block.is_alive_at(sequence);
  });
  return op == "aten::_log_softmax" && is_kept && has_backward_to_come(facts, sequence)
             ? 2 * failure.requested_bytes
             : 0;
}

std::uint64_t adam_to_come(const Facts& facts, const OutOfMemory& failure) {
  constexpr std::uint64_t kMoments = 2;
  if (failure.held.step < 0 || has_stepped(facts, failure)) return 0;
  return kMoments * trained_bytes(facts, failure);
}

std::uint64_t gradients_to_come(const Facts& facts, const OutOfMemory& failure) {
  const std::uint64_t sequence = failure.held.sequence;
  const bool is_backward = open_phase(facts.phases, STRATA_PHASE_BACKWARD, sequence) != nullptr;
  if (!accumulates_gradients(facts) || (!is_backward && !has_backward_to_come(facts, sequence))) return 0;
  const std::uint64_t trained = trained_bytes(facts, failure);
  return trained - std::min(trained, failure.held.categories[static_cast<std::size_t>(Category::kGradient)]);
}

std::uint64_t next_step(const Facts& facts, const OutOfMemory& failure) {
  if (!is_in_first_optimizer_step(facts, failure)) return 0;
  const PhaseFact* const optimizer = open_phase(facts.phases, STRATA_PHASE_OPTIMIZER, failure.held.sequence);
  const auto step = std::ranges::find(facts.steps, failure.held.step, &StepFact::index);
  const std::uint64_t begin = step == facts.steps.end() ? 0 : step->begin_sequence;
  const auto highest = highest_point(facts.points, begin, optimizer->begin_sequence);
  if (!highest) return 0;
  constexpr auto kState = static_cast<std::size_t>(Category::kOptimizerState);
  const Point& point = facts.points[*highest];
  return allocated_bytes(point) - point.bytes.at(kState) + failure.held.categories.at(kState) +
         failure.state_to_come_bytes;
}

}  // namespace strata::analysis
