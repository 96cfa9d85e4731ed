// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/rules.hpp"

#include <algorithm>
#include <stdexcept>

#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

template <std::uint32_t kRole>
bool registered(const Evidence& block) {
  return block.role == kRole;
}

// A leaf as a parameter is, but a parameter stays.
bool is_passing_leaf(const Evidence& block) {
  const bool is_of_one_step = block.stage == Stage::kSetup && block.optimizer_after_next == kNever;
  return block.unnamed_parameter && block.death != kNever && block.death < block.optimizer_after_next &&
         !is_of_one_step;
}

// What a layer without trained parameters makes, if it is told to require a gradient: for checkpoints behind
// a frozen embedding, or for a part of a network that is trained by itself. In its last step it may stay.
bool leaf_activation(const Evidence& block) {
  const bool is_of_last_step = block.unnamed_parameter && block.stage == Stage::kForward &&
                               (block.made_by_layer_op || block.optimizer_after_next == kNever);
  return (block.made_by_layer_op || block.made_in_layer) && block.stage != Stage::kData &&
         (is_passing_leaf(block) || is_of_last_step);
}

// A batch that requires its gradient, for a penalty or an attack.
bool leaf_input(const Evidence& block) {
  return is_passing_leaf(block);
}

template <Stage kStage>
bool born_in(const Evidence& block) {
  return block.stage == kStage;
}

// Born in a stage and dead before its phase ended.
template <Stage kStage>
bool within_phase(const Evidence& block) {
  return block.stage == kStage && block.death < block.phase_end;
}

// If no step ever begins, as in a program that only runs inference, blocks freed at its end were not
// temporary.
bool setup_temporary(const Evidence& block) {
  return within_phase<Stage::kSetup>(block) && block.phase_end != kNever;
}

// Born in a stage and dead before the step ended.
template <Stage kStage>
bool within_step(const Evidence& block) {
  return block.stage == kStage && block.death < block.step_end;
}

bool has_backward(const Evidence& block) {
  return block.backward_begin != kNever;
}

// Dead before its backward ended; or cut off inside it, together with the recording.
bool dead_with_backward(const Evidence& block) {
  return block.death < block.backward_end || (block.death == kNever && block.backward_end == kNever);
}

// What was registered because it lay there as a plain tensor before training, in memory that a graph or
// another engine has for itself, is no batch.
bool registered_input(const Evidence& block) {
  return block.role == STRATA_TENSOR_INPUT && !(block.in_private_pool && block.stage == Stage::kSetup);
}

// The replicas of a model on other cards last for one forward and its backward.
bool replica(const Evidence& block) {
  return block.made_by_broadcast && block.stage != Stage::kBackward;
}

// Copies that a program made for itself. Those of a layer in forward, or of an optimizer in its step, go by
// their lifetime.
bool kept_copy(const Evidence& block) {
  if (!is_program_copy(block.role)) return false;
  switch (block.stage) {
    case Stage::kForward:
      return has_backward(block) && !dead_with_backward(block);
    case Stage::kRecompute:
    case Stage::kBackward:
    case Stage::kOptimizer:
      return false;
    default:
      return true;
  }
}

bool used_copy(const Evidence& block) {
  return kept_copy(block) && block.role == STRATA_TENSOR_USED_COPY;
}

bool gradient_copy(const Evidence& block) {
  return kept_copy(block) && block.copies_gradient;
}

// With create_graph=True, for derivatives of gradients.
bool backward_graph(const Evidence& block) {
  return block.born_in_recorded_backward;
}

bool gathered(const Evidence& block) {
  return block.born_in_gathering;
}

bool sharded_gradient(const Evidence& block) {
  return block.born_in_reducing && !dead_with_backward(block);
}

bool sharding(const Evidence& block) {
  return block.born_in_sharding;
}

bool saved(const Evidence& block) {
  return block.saved;
}

bool saved_in_recompute(const Evidence& block) {
  return block.saved && block.stage == Stage::kRecompute;
}

bool saved_beyond_backward(const Evidence& block) {
  return block.saved && has_backward(block) && block.held_until > block.backward_end;
}

bool backward_seed(const Evidence& block) {
  return block.born_in_ones_like && (block.stage == Stage::kBackward || block.stage == Stage::kForward) &&
         has_backward(block) && dead_with_backward(block);
}

bool accumulated(const Evidence& block) {
  return block.stage == Stage::kBackward && block.died_in_gradient_addition;
}

bool workspace(const Evidence& block) {
  return block.lived_in_one_matrix_product;
}

// A capture's own blocks are temporary, as in any step. Blocks that it leaves alive are rewritten by replays
// of the graph, unless they have the signs of memory that training keeps.
bool kept_in_pool(const Evidence& block) {
  const bool is_kept = block.death >= block.step_end && (block.step_end != kNever || block.run_finished);
  const bool is_batch_or_state = block.stage == Stage::kData || block.stage == Stage::kOptimizer;
  const bool is_gradient = block.stage == Stage::kBackward && block.parameter_sized;
  return block.in_private_pool && is_kept && !is_batch_or_state && !is_gradient;
}

// Made after a step's optimizers have run, and freed when those of the next step have, or are about to.
bool batch_between(const Evidence& block) {
  return block.stage == Stage::kBetween && block.death >= block.step_end && block.death != kNever &&
         block.next_optimizer > block.step_end && block.death < block.optimizer_after_next;
}

// Made in a step before its forward, unmarked, and alive in backward. A program that makes the next one
// before it frees this one does so in the next step.
bool batch_before_forward(const Evidence& block) {
  if (block.stage != Stage::kBetween || block.next_forward_begin >= block.step_end) return false;
  const bool reached_backward =
      block.next_backward_begin != kNever && block.death > block.next_backward_begin;
  const bool next_is_there = block.optimizer_after_next != kNever && block.death > block.optimizer_after_next;
  return reached_backward && !next_is_there;
}

// The run was cut short between the forward that came next and the optimizer; or that forward was.
bool batch_cut_short(const Evidence& block) {
  return block.stage == Stage::kBetween && block.next_forward_begin != kNever &&
         block.next_optimizer == kNever && block.death == kNever && !block.run_finished;
}

// A teacher's logits, or a reference's, that the loss compares with.
bool forward_before(const Evidence& block) {
  return block.computed_before_forward &&
         (batch_between(block) || batch_before_forward(block) || batch_cut_short(block));
}

// In an unmarked evaluation a variable holds the last result until the next one.
bool forward_alone(const Evidence& block) {
  return block.computed_before_forward;
}

// As in a rollout, or a batch used for several steps.
bool batch_of_several_steps(const Evidence& block) {
  return block.stage == Stage::kBetween && block.made_as_an_input;
}

// Usually collected by an evaluation: it is no longer known when it would have been freed.
bool between_cut_short(const Evidence& block) {
  return block.stage == Stage::kBetween && block.step_end == kNever && block.death == kNever &&
         !block.run_finished;
}

bool data_ahead(const Evidence& block) {
  return block.stage == Stage::kData && block.death >= block.step_end;
}

bool recomputed(const Evidence& block) {
  return block.stage == Stage::kRecompute && dead_with_backward(block);
}

bool forward_temporary(const Evidence& block) {
  return block.stage == Stage::kForward && has_backward(block) && block.death < block.backward_begin;
}

bool activation(const Evidence& block) {
  return block.stage == Stage::kForward && has_backward(block) && dead_with_backward(block);
}

bool beyond_backward(const Evidence& block) {
  return block.stage == Stage::kForward && has_backward(block);
}

bool forward_cut_short(const Evidence& block) {
  return block.stage == Stage::kForward && block.death == kNever && !block.run_finished;
}

bool flowing(const Evidence& block) {
  return block.stage == Stage::kBackward && dead_with_backward(block);
}

bool gradient_left(const Evidence& block) {
  return block.stage == Stage::kBackward && block.parameter_sized;
}

bool optimizer_cut_short(const Evidence& block) {
  return block.stage == Stage::kOptimizer && block.death == kNever && block.phase_end == kNever &&
         !block.run_finished && !block.born_in_zeros_like;
}

// The first phase of an unnamed optimizer lasts until the next forward, because it is unknown which of its
// writes is the last. So the next batch is born in it, and freed after the next optimizer or, if an iteration
// has several, after the last one. A state lives on, or is replaced inside the optimizer.
bool batch_behind_optimizer(const Evidence& block) {
  const bool dies_with_turn = block.death < block.optimizer_after_next ||
                              (block.death < block.optimizers_of_a_turn_end && !block.born_in_zeros_like);
  return block.born_in_nameless_optimizer && block.next_optimizer_end != kNever && block.death != kNever &&
         block.death > block.next_optimizer_end && dies_with_turn;
}

bool optimizer_state_left(const Evidence& block) {
  return block.stage == Stage::kOptimizer && block.death > block.next_optimizer;
}

bool optimizer_state_at_end(const Evidence& block) {
  return block.stage == Stage::kOptimizer && block.death == kNever;
}

bool always(const Evidence&) {
  return true;
}

using enum Category;

RuleTable make_rules() {
  return {
      // Owners.
      {"leaf_activation", Reason::kLeafActivation, kActivation, BlockKind::kSaved, leaf_activation},
      {"leaf_input", Reason::kLeafInput, kInput, BlockKind::kInput, leaf_input},
      {"parameter", Reason::kParameter, kParameter, BlockKind::kParameter,
       registered<STRATA_TENSOR_PARAMETER>},
      {"buffer", Reason::kBuffer, kParameter, BlockKind::kBuffer, registered<STRATA_TENSOR_BUFFER>},
      {"ema", Reason::kEma, kParameter, BlockKind::kEma, registered<STRATA_TENSOR_EMA>},
      {"optimizer_state", Reason::kOptimizerState, kOptimizerState, BlockKind::kState,
       registered<STRATA_TENSOR_OPTIMIZER_STATE>},
      {"projector", Reason::kProjector, kOptimizerState, BlockKind::kProjector,
       registered<STRATA_TENSOR_PROJECTOR>},
      {"scaler", Reason::kScaler, kOptimizerState, BlockKind::kScaler, registered<STRATA_TENSOR_SCALER>},
      {"bucket", Reason::kBucket, kGradient, BlockKind::kBucket, registered<STRATA_TENSOR_BUCKET>},
      {"gradient", Reason::kGradient, kGradient, BlockKind::kGradient, registered<STRATA_TENSOR_GRADIENT>},
      {"input", Reason::kInput, kInput, BlockKind::kInput, registered_input},
      {"target", Reason::kTarget, kInput, BlockKind::kTarget, registered<STRATA_TENSOR_TARGET>},
      {"prefetch", Reason::kPrefetch, kInput, BlockKind::kPrefetch, registered<STRATA_TENSOR_PREFETCH>},
      {"logits", Reason::kLogits, kActivation, BlockKind::kLogits, registered<STRATA_TENSOR_LOGITS>},
      {"loss", Reason::kLoss, kActivation, BlockKind::kLoss, registered<STRATA_TENSOR_LOSS>},
      {"kept_workspace", Reason::kKeptWorkspace, kTemporary, BlockKind::kWorkspace,
       registered<STRATA_TENSOR_WORKSPACE>},
      {"checkpoint_input", Reason::kCheckpointInput, kActivation, BlockKind::kCheckpointInput,
       registered<STRATA_TENSOR_CHECKPOINT_INPUT>},
      {"offloaded", Reason::kOffloaded, kActivation, BlockKind::kOffloaded,
       registered<STRATA_TENSOR_OFFLOADED>},
      {"autocast_copy", Reason::kAutocastCopy, kActivation, BlockKind::kAutocastCopy,
       registered<STRATA_TENSOR_AUTOCAST_COPY>},

      {"replica", Reason::kReplica, kParameter, BlockKind::kWeightCopy, replica},

      // Forms that fully_shard gives them.
      {"gathered", Reason::kGathered, kParameter, BlockKind::kGathered, gathered},
      {"sharded_gradient", Reason::kShardedGradient, kGradient, BlockKind::kGradient, sharded_gradient},
      {"sharding_temp", Reason::kShardingTemp, kTemporary, BlockKind::kComm, sharding},

      // Facts from autograd's saved tensors.
      {"saved_recompute", Reason::kSavedRecompute, kActivation, BlockKind::kRecompute, saved_in_recompute},
      {"saved_retained", Reason::kSavedRetained, kActivation, BlockKind::kRetained, saved_beyond_backward},
      {"saved", Reason::kSaved, kActivation, BlockKind::kSaved, saved},

      // Facts proved by ops.
      {"backward_seed", Reason::kBackwardSeed, kGradient, BlockKind::kGradient, backward_seed},
      {"accumulate_temp", Reason::kAccumulateTemp, kGradient, BlockKind::kAccumulateTemp, accumulated},
      {"workspace", Reason::kWorkspace, kTemporary, BlockKind::kWorkspace, workspace},

      // Lifetimes over phases.
      {"graph_pool", Reason::kGraphPool, kTemporary, BlockKind::kGraphPool, kept_in_pool},
      {"setup_temp", Reason::kSetupTemp, kTemporary, BlockKind::kOpTemp, setup_temporary},
      {"gradient_copy", Reason::kGradientCopy, kGradient, BlockKind::kGradient, gradient_copy},
      {"used_copy", Reason::kUsedCopy, kParameter, BlockKind::kWeightCopy, used_copy},
      {"weight_copy", Reason::kWeightCopy, kParameter, BlockKind::kWeightCopy, kept_copy},
      {"data_temp", Reason::kDataTemp, kTemporary, BlockKind::kOpTemp, within_phase<Stage::kData>},
      {"data_kept", Reason::kDataKept, kInput, BlockKind::kInput, within_step<Stage::kData>},
      {"data_ahead", Reason::kDataAhead, kInput, BlockKind::kPrefetch, data_ahead},
      {"forward_before", Reason::kForwardBefore, kActivation, BlockKind::kForwardResidue, forward_before},
      {"batch_between", Reason::kBatchBetween, kInput, BlockKind::kInput, batch_between},
      {"batch_before_forward", Reason::kBatchBeforeForward, kInput, BlockKind::kInput, batch_before_forward},
      {"batch_cut_short", Reason::kBatchCutShort, kInput, BlockKind::kInput, batch_cut_short},
      {"recompute_temp", Reason::kRecomputeTemp, kTemporary, BlockKind::kOpTemp,
       within_phase<Stage::kRecompute>},
      {"recompute", Reason::kRecompute, kActivation, BlockKind::kRecompute, recomputed},
      {"forward_temp", Reason::kForwardTemp, kTemporary, BlockKind::kOpTemp, forward_temporary},
      {"activation", Reason::kActivation, kActivation, BlockKind::kSaved, activation},
      {"forward_residue", Reason::kForwardResidue, kActivation, BlockKind::kForwardResidue, beyond_backward},
      {"forward_only_temp", Reason::kForwardOnlyTemp, kTemporary, BlockKind::kOpTemp,
       within_phase<Stage::kForward>},
      {"forward_cut_short", Reason::kForwardCutShort, kActivation, BlockKind::kForwardResidue,
       forward_cut_short},
      {"forward_only_residue", Reason::kForwardOnlyResidue, kActivation, BlockKind::kForwardResidue,
       born_in<Stage::kForward>},
      {"flowing", Reason::kFlowing, kAutogradDetail, BlockKind::kFlowing, flowing},
      {"gradient_left", Reason::kGradientLeft, kGradient, BlockKind::kGradient, gradient_left},
      {"backward_graph", Reason::kBackwardGraph, kActivation, BlockKind::kRetained, backward_graph},
      {"gradient_sync_temp", Reason::kGradientSyncTemp, kTemporary, BlockKind::kComm,
       within_phase<Stage::kGradientSync>},
      {"gradient_sync_kept", Reason::kGradientSyncKept, kTemporary, BlockKind::kComm,
       born_in<Stage::kGradientSync>},
      {"clip_temp", Reason::kClipTemp, kTemporary, BlockKind::kOpTemp, within_step<Stage::kClip>},
      {"optimizer_temp", Reason::kOptimizerTemp, kTemporary, BlockKind::kOptimizerTemp,
       within_phase<Stage::kOptimizer>},
      {"optimizer_cut_short", Reason::kOptimizerCutShort, kTemporary, BlockKind::kOptimizerTemp,
       optimizer_cut_short},
      {"batch_behind_optimizer", Reason::kBatchBehindOptimizer, kInput, BlockKind::kInput,
       batch_behind_optimizer},
      {"optimizer_state_left", Reason::kOptimizerStateLeft, kOptimizerState, BlockKind::kState,
       optimizer_state_left},
      {"optimizer_state_at_end", Reason::kOptimizerStateAtEnd, kOptimizerState, BlockKind::kState,
       optimizer_state_at_end},
      {"zero_grad_temp", Reason::kZeroGradTemp, kTemporary, BlockKind::kOpTemp,
       within_phase<Stage::kZeroGrad>},
      {"evaluation_temp", Reason::kEvaluationTemp, kTemporary, BlockKind::kOpTemp,
       within_phase<Stage::kEvaluation>},
      {"evaluation_residue", Reason::kEvaluationResidue, kActivation, BlockKind::kForwardResidue,
       born_in<Stage::kEvaluation>},
      {"checkpoint_save_temp", Reason::kCheckpointSaveTemp, kTemporary, BlockKind::kOpTemp,
       within_phase<Stage::kCheckpointSave>},
      {"other_temp", Reason::kOtherTemp, kTemporary, BlockKind::kOpTemp, within_phase<Stage::kOther>},
      {"between_temp", Reason::kBetweenTemp, kTemporary, BlockKind::kOpTemp, within_step<Stage::kBetween>},

      {"forward_alone", Reason::kForwardAlone, kActivation, BlockKind::kForwardResidue, forward_alone},
      {"batch_of_several_steps", Reason::kBatchOfSeveralSteps, kInput, BlockKind::kInput,
       batch_of_several_steps},

      {"between_cut_short", Reason::kBetweenCutShort, kTemporary, BlockKind::kOpTemp, between_cut_short},

      // Unknown.
      {"unknown_setup", Reason::kUnknownSetup, kUnknown, BlockKind::kUnattributed, born_in<Stage::kSetup>},
      {"unknown_backward", Reason::kUnknownBackward, kUnknown, BlockKind::kUnattributed,
       born_in<Stage::kBackward>},
      {"unknown_optimizer", Reason::kUnknownOptimizer, kUnknown, BlockKind::kUnattributed,
       born_in<Stage::kOptimizer>},
      {"unknown_between", Reason::kUnknownBetween, kUnknown, BlockKind::kUnattributed,
       born_in<Stage::kBetween>},
      {"unknown", Reason::kUnknown, kUnknown, BlockKind::kUnattributed, always},
  };
}

}  // namespace

const RuleTable& standard_rules() {
  static const RuleTable table = make_rules();
  return table;
}

RuleTable without_saved(const RuleTable& rules) {
  RuleTable rest = rules;
  std::erase_if(rest, [](const Rule& rule) { return rule.name.starts_with("saved"); });
  return rest;
}

const Rule& decide(std::span<const Rule> rules, const Evidence& evidence) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.applies(evidence); });
  if (found == rules.end()) throw std::logic_error("no rule of the category table applies");
  return *found;
}

}  // namespace strata::analysis
