// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/evidence.hpp"

#include <algorithm>

#include "host/analysis/recording/recording.hpp"
#include "strata/ext/module.h"
#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

// For unmarked programs: each loss has an optimizer, and the next iteration's first one ends a batch.
constexpr int kMostOptimizersOfATurn = 4;

}  // namespace

EvidenceGatherer::EvidenceGatherer(const Recording& run, const BlockTable& table, const OpTable& ops,
                                   const StepStructure& structure)
    : run_(run), table_(table), ops_(ops), structure_(structure), cut_forwards_(run, table, structure) {
  for (const BlockHistory& block : table.blocks) {
    if (block.role == STRATA_TENSOR_PARAMETER) parameter_sizes_.insert(block.bytes);
    if (const auto op = ops.find(block.birth_op); op && block.role == STRATA_TENSOR_INPUT)
      inputs_.emplace(ops.maker(*op), block.bytes);
  }
  for (const ModuleRow& module : run.modules) {
    if (module.direction == STRATA_MODULE_BACKWARD) continue;  // also inside repeated forwards
    const auto around = recompute_end_.find(module.parent);
    if (around != recompute_end_.end()) {
      recompute_end_.emplace(module.ordinal, around->second);
    } else if (module.direction == STRATA_MODULE_RECOMPUTE) {
      recompute_end_.emplace(module.ordinal, module.end_sequence);
    } else {
      const auto outer = forward_end_.find(module.parent);
      forward_end_.emplace(module.ordinal, outer != forward_end_.end() ? outer->second : module.end_sequence);
    }
  }
}

Evidence EvidenceGatherer::of(const BlockHistory& block) const {
  Evidence evidence;
  evidence.birth = block.birth_sequence;
  evidence.death = block.death_sequence;
  evidence.role = block.role;
  // As numbered by the source `torch`.
  evidence.unnamed_parameter =
      block.role == STRATA_TENSOR_PARAMETER && run_.texts[block.name].starts_with("parameter ");
  evidence.copies_gradient = is_program_copy(block.role) && block.parameter != kNoBlock &&
                             table_.blocks[block.parameter].role == STRATA_TENSOR_GRADIENT;
  evidence.saved = block.saved;
  evidence.held_until = block.held_until_sequence;
  evidence.in_private_pool = table_.places[block.place].pool != 0;
  evidence.parameter_sized = parameter_sizes_.contains(block.bytes);
  evidence.run_finished = run_.closed && run_.end == RunEnd::kDone;
  add_circumstances(block, evidence);
  add_ops(block, evidence);
  forget_after(last_sequence_, evidence);
  forget_after(cut_forwards_.cut_off(block), evidence);
  return evidence;
}

void EvidenceGatherer::add_circumstances(const BlockHistory& block, Evidence& evidence) const {
  const Moment birth = structure_.at(block.birth_sequence, block.birth_phase);
  evidence.stage = birth.stage;
  evidence.step_end = structure_.step_end(block.birth_sequence);
  evidence.phase_end = birth.phase != nullptr ? birth.phase->end_sequence : evidence.step_end;
  if (birth.stage == Stage::kSetup) evidence.phase_end = structure_.first_step_begin();
  if (birth.stage == Stage::kBetween || birth.stage == Stage::kSetup) {
    if (const Pass* const next = structure_.next_pass(block.birth_sequence)) {
      evidence.next_forward_begin = next->forward_begin;
      evidence.next_backward_begin = next->backward_begin;
    }
    evidence.computed_before_forward = is_computed_before(evidence.next_forward_begin, block);
  }
  const Extent optimizer = structure_.next_optimizer(block.birth_sequence);
  evidence.next_optimizer = optimizer.begin;
  evidence.next_optimizer_end = optimizer.end;
  if (optimizer.begin != kNever) {
    const std::uint64_t turn = structure_.step_end(optimizer.begin);
    evidence.optimizer_after_next =
        turn == kNever ? kNever : structure_.next_optimizer(std::max(optimizer.begin, turn)).begin;
  }
  Extent last = optimizer;
  for (int more = 1; more < kMostOptimizersOfATurn && last.begin != kNever; ++more)
    last = structure_.next_optimizer(last.begin);
  evidence.optimizers_of_a_turn_end = last.end;
  evidence.born_in_nameless_optimizer = birth.stage == Stage::kOptimizer && birth.phase != nullptr &&
                                        birth.phase->inferred && run_.texts[birth.phase->name] == "optimizer";
  if (birth.pass != nullptr) {
    evidence.backward_begin = birth.pass->backward_begin;
    evidence.backward_end = birth.pass->backward_end;
  }
  const auto recomputed = recompute_end_.find(block.birth_module);
  if (recomputed != recompute_end_.end() && birth.stage == Stage::kBackward) {
    evidence.stage = Stage::kRecompute;
    evidence.phase_end = recomputed->second;
  }
}

void EvidenceGatherer::add_ops(const BlockHistory& block, Evidence& evidence) const {
  evidence.made_in_layer = forward_end_.contains(block.birth_module);
  if (const auto op = ops_.find(block.birth_op)) {
    evidence.made_by_layer_op = ops_.within(*op, kMatrixProduct) || ops_.within(*op, kLayer);
    evidence.made_in_layer = evidence.made_in_layer && !ops_.within(*op, kCopy);
    evidence.born_in_ones_like = ops_.within(*op, kOnesLike) && is_before_nodes(block, evidence);
    evidence.born_in_zeros_like = ops_.within(*op, kZerosLike);
    evidence.born_in_sharding = ops_.within(*op, kSharding);
    evidence.born_in_gathering = ops_.within(*op, kGathering);
    evidence.born_in_reducing = ops_.within(*op, kReducing);
    evidence.made_by_broadcast =
        ops_.within(*op, kBroadcast) && (parameter_sizes_.empty() || evidence.parameter_sized);
    evidence.born_in_recorded_backward = evidence.stage == Stage::kBackward && ops_.is_recorded(*op);
    evidence.made_as_an_input = inputs_.contains({ops_.maker(*op), block.bytes});
    evidence.lived_in_one_matrix_product = block.birth_op == block.death_op && ops_.has(*op, kMatrixProduct);
  }
  if (const auto op = ops_.find(block.death_op)) {
    evidence.died_in_gradient_addition = ops_.in_gradient_addition(*op);
  }
}

bool EvidenceGatherer::is_computed_before(std::uint64_t forward_begin, const BlockHistory& block) const {
  const auto op = ops_.find(block.birth_op);
  const auto forward = forward_end_.find(block.birth_module);
  // A model that is at work already may move its batch, or make of it what needs no gradient.
  if (forward != forward_end_.end())
    return forward->second < forward_begin || (op && !ops_.within(*op, kCopy));
  return op && ops_.within(*op, kMatrixProduct);
}

// Refers to the backward in which it was born, or the next one; each of several consecutive backwards has a
// seed.
bool EvidenceGatherer::is_before_nodes(const BlockHistory& block, const Evidence& evidence) const {
  std::uint64_t begin = evidence.backward_begin;
  if (const auto phase = structure_.find_phase(block.birth_phase);
      phase && evidence.stage == Stage::kBackward)
    begin = run_.phases[*phase].begin_sequence;
  return block.birth_sequence < ops_.first_backward_node(begin, evidence.backward_end);
}

void EvidenceGatherer::forget_after(std::uint64_t sequence, Evidence& block) {
  if (block.birth > sequence || block.death <= sequence || sequence == kNever) return;
  for (std::uint64_t* const moment :
       {&block.death, &block.held_until, &block.phase_end, &block.step_end, &block.backward_begin,
        &block.backward_end, &block.next_forward_begin, &block.next_backward_begin, &block.next_optimizer,
        &block.optimizer_after_next, &block.next_optimizer_end, &block.optimizers_of_a_turn_end}) {
    if (*moment > sequence) *moment = kNever;
  }
  block.run_finished = false;
  block.died_in_gradient_addition = block.lived_in_one_matrix_product = false;
}

}  // namespace strata::analysis
