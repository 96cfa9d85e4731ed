// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/savings.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/narrowed_by_autocast.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/peak/whole_model.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

bool is_moment(std::string_view name) {
  return name.ends_with(".exp_avg") || name.ends_with(".exp_avg_sq");
}

}  // namespace

bool may_be_fused(std::string_view step) {
  constexpr std::string_view kStep = ".step";
  constexpr std::array<std::string_view, 3> kFused{"Adam.step", "AdamW.step", "SGD.step"};
  return !step.ends_with(kStep) || std::ranges::find(kFused, step) != kFused.end();
}

Savings::Savings(const Facts& facts)
    : facts_(facts),
      phases_(facts.phases),
      kept_(facts),
      unused_(facts, kept_),
      held_(facts),
      evaluations_(facts),
      concatenated_(facts),
      listed_(facts, evaluations_),
      narrowed_of_block_(narrowed_by_autocast(facts)),
      trained_(trained_parameters(facts)),
      is_untrained_(std::ranges::find(facts.blocks, Category::kGradient, &Block::category) ==
                    facts.blocks.end()),
      accumulates_(accumulates_gradients(facts)),
      kept_wide_(facts.trainer == "transformers" ? embedding_weights(facts)
                                                 : std::unordered_set<std::string>()),
      has_fallen_back_(has_op(facts, kAttentionByItself)),
      is_of_scores_(attention_scores(facts)),
      head_bytes_(head_bytes(facts, held_.logits(), trained_)),
      repeated_(repeated_runs(facts)),
      largest_share_(largest_share(facts)) {}

void Savings::change(const Block& block, bool comes) {
  const auto index = static_cast<std::size_t>(&block - facts_.blocks.data());
  // As much would be there of two halves, and of forwards that are none of this backward's.
  if (kept_.holds(index)) return;
  if (const std::uint32_t outputs = concatenated_.outputs(index); outputs > 0) {
    comes ? concatenated_bytes_ += block.bytes : concatenated_bytes_ -= block.bytes;
    comes ? void(outputs_.insert(outputs)) : void(outputs_.erase(outputs_.find(outputs)));
    return;
  }
  narrowed_ += comes ? narrowed_of_block_[index] : -narrowed_of_block_[index];
  const auto put = [&](std::uint64_t& sum, std::uint64_t value) { comes ? sum += value : sum -= value; };
  if (block.kind == "optimizer_temp") {
    if (block.phase == 0 || may_be_fused(facts_.phases[block.phase - 1].name))
      put(temporaries_, block.bytes);
    else if (facts_.texts[block.op].starts_with("aten::_foreach"))
      put(list_temporaries_, block.bytes);
  }
  const bool is_listed = listed_.holds(index);
  const bool is_unused = unused_.holds(index);
  const bool is_evaluations = evaluations_.made(block) || unused_.holds_of_evaluation(index);
  if (is_listed) {
    put(listed_bytes_, block.bytes);
    put(listed_count_, 1);
  } else if (is_evaluations) {
    put(evaluated_, block.bytes);
  }
  if (!is_evaluations && is_temporary_of_forward(facts_, block)) put(forward_temporaries_, block.bytes);
  if (!is_unused && (block.kind == kForwardResidue || held_.is_softened(block))) {
    const LaterSteps& later = held_.later_steps();
    const auto [entry, unused] =
        residue_.try_emplace({later.begin_for(block), later.optimizer_behind(block)});
    HeldResidue& held = entry->second;
    put(held.bytes, block.bytes);
    if (held_.is_softened(block)) put(held.softened_bytes, block.bytes);
    if (held.bytes == 0) residue_.erase(entry);
  }
  switch (block.category) {
    case Category::kParameter: {
      const bool trains = is_trained(facts_, block, trained_);
      const bool is_wide = facts_.texts[facts_.forms[block.form].dtype] == "float32";
      put(parameters_, block.bytes);
      if (trains) put(trained_parameters_, block.bytes);
      if (is_wide) put(wide_parameters_, block.bytes);
      if (is_wide && !trains && block.kind == "parameter") put(frozen_, block.bytes);
      break;
    }
    case Category::kGradient:
      put(gradients_, block.bytes);
      break;
    case Category::kOptimizerState: {
      const std::string& name = facts_.texts[block.name];
      if (is_moment(name) && !kept_wide_.contains(name.substr(0, name.rfind('.')))) {
        put(moments_, block.bytes);
        if (facts_.texts[facts_.forms[block.form].dtype].ends_with("float16"))
          put(narrow_moments_, block.bytes);
      }
      if (name.ends_with(".exp_avg_sq")) put(second_moments_, block.bytes);
      break;
    }
    case Category::kAutogradDetail:
      // That of an embedding is as large as its weights, whatever the batch.
      if (block.kind == "flowing" && facts_.texts[block.op] != "aten::embedding_dense_backward")
        put(flowing_, block.bytes);
      break;
    case Category::kActivation:
      if (is_evaluations) break;
      block.kind == "autocast_copy" ? put(autocast_copies_, 1) : put(activations_, block.bytes);
      break;
    default:
      break;
  }
  if (held_.logits()[index] && !is_evaluations && !is_unused) {
    put(logits_, block.bytes);
    if (block.kind == "flowing") put(gradients_of_logits_, block.bytes);
  }
  if (is_of_scores_[index]) put(softmax_bytes_, block.bytes);
  if (is_copy_for_backward(block)) put(copies_of_blocks_, block.bytes);
  if (!is_for_backward(block) || is_unused) return;
  if (facts_.texts[block.op] == "aten::_softmax") put(softmaxes_, 1);
  const std::uint32_t run = repeated_.run[index];
  if (run == 0 || repeated_.is_handed_on[index]) return;
  const auto [saved, is_first] = saved_by_run_.try_emplace(run, 0);
  if (is_first) handed_ += repeated_.handed_bytes[run];
  put(saved->second, block.bytes);
  put(saved_, block.bytes);
  if (saved->second > 0) return;
  handed_ -= repeated_.handed_bytes[run];
  saved_by_run_.erase(saved);
}

// A checkpointed block's saved tensors are there while it goes backward: of those that are there now the last
// one's, and while the loss goes backward none. Forward, it saves none: what an op reads and makes is there.
std::uint64_t Savings::checkpointed(const PhaseFact* part) const {
  if (saved_by_run_.empty()) return 0;
  const bool is_forward = part != nullptr && part->kind == STRATA_PHASE_FORWARD;
  if (gradients_of_logits_ > 0) return checkpointed_but(0) + copies_of_all_but(0);
  const auto [run, saved] = *saved_by_run_.rbegin();
  if (is_forward) return checkpointed_but(std::min(saved, repeated_.two_largest_bytes[run]));
  return checkpointed_but(saved) + copies_of_all_but(saved);
}

// A checkpointed block's graph holds none of autocast's copies, which are gone when that ends: of those that
// are there now, as large a part as of what the blocks saved.
std::uint64_t Savings::copies_of_all_but(std::uint64_t saved_bytes) const {
  const double part = 1.0 - static_cast<double>(saved_bytes) / static_cast<double>(saved_);
  return static_cast<std::uint64_t>(part * static_cast<double>(copies_of_blocks_));
}

// Where backward is within autocast, that holds them to its end.
bool Savings::is_copy_for_backward(const Block& block) const {
  if (block.kind != "autocast_copy" || repeated_block(facts_, block.layer).empty()) return false;
  const auto part = phases_.part_of_step(block.death_sequence);
  return part && facts_.phases[*part].kind == STRATA_PHASE_BACKWARD;
}

std::uint64_t Savings::largest_block() const {
  std::uint64_t largest = 0;
  for (const auto& [unused, bytes] : saved_by_run_) largest = std::max(largest, bytes);
  return largest;
}

std::uint64_t Savings::checkpointed_but(std::uint64_t bytes) const {
  return saved_ - std::min(saved_, bytes + handed_);
}

// While the other pieces go backward, the head's gradient is there already; where all gradients are, it is.
std::uint64_t Savings::loss_in_pieces() const {
  const std::uint64_t spared = logits_ - logits_ / kPiecesOfLoss;
  const std::uint64_t gradients_to_come = trained_parameters_ - std::min(gradients_, trained_parameters_);
  return spared - std::min({spared, head_bytes_, gradients_to_come});
}

std::uint64_t Savings::spared_to_come(std::uint64_t bytes, std::uint64_t to_come_bytes) const {
  if (activations_ == 0) return 0;
  const double part = std::min(static_cast<double>(bytes) / static_cast<double>(activations_), 1.0);
  return static_cast<std::uint64_t>(part * static_cast<double>(to_come_bytes));
}

std::uint64_t Savings::gradients_of_half() const {
  if (is_untrained_ || accumulates_) return 0;
  return trained_parameters_ - std::min(gradients_, trained_parameters_);
}

// While the second half goes forward and backward, the first one's gradients are there.
std::uint64_t Savings::half_batch(std::uint64_t spared_bytes) const {
  const std::uint64_t made = activations_ + forward_temporaries_ + flowing_;
  const std::uint64_t half = (made - std::min(made, spared_bytes)) / 2;
  return half - std::min(half, gradients_of_half());
}

// Of matrices in 32 bits autocast makes copies in 16, and keeps those of weights until backward has ended.
std::uint64_t Savings::half_precision() const {
  if (autocast_copies_ > 0 || wide_parameters_ < parameters_ / 2 || wide_parameters_ == 0) return 0;
  const auto narrowed = static_cast<std::uint64_t>(std::max<std::int64_t>(narrowed_, 0));
  return narrowed - std::min(narrowed, wide_parameters_ / 2);
}

// As Residue::may_go says of each.
std::uint64_t Savings::residue_let_go(const PhaseFact* part) const {
  const bool is_in_optimizer = part != nullptr && part->kind == STRATA_PHASE_OPTIMIZER;
  const bool is_in_backward = part != nullptr && part->kind == STRATA_PHASE_BACKWARD;
  const bool is_outside = is_outside_of_training(part);
  std::uint64_t sum = 0;
  for (const auto& [from, held] : residue_) {
    const auto [later_step, optimizer] = from;
    const bool all_may_go =
        later_step <= sequence_ || is_in_optimizer || (is_outside && optimizer <= sequence_);
    sum += all_may_go ? held.bytes : is_in_backward ? held.softened_bytes : 0;
  }
  return sum;
}

std::uint64_t Savings::bytes(Saving saving, const PhaseFact* part) const {
  switch (saving) {
    case Saving::kCheckpoints:
      return checkpointed(part);
    case Saving::kAttentionInOneKernel:
      // One alone may be what a classifier gives.
      return softmaxes_ > (has_fallen_back_ ? 0 : 1) ? softmax_bytes_ : 0;
    case Saving::kLossInPieces:
      return loss_in_pieces();
    case Saving::kHalfBatch:
      return half_batch(0);
    case Saving::kHalfEvaluation:
      // Outputs that are put together are as many as the data set has, whatever the batch.
      return concatenated_bytes_ > evaluated_ ? 0 : evaluated_ / 2;
    case Saving::kHalfPrecision:
      return half_precision();
    case Saving::kFusedOptimizer:
      return temporaries_;
    case Saving::kLoopOptimizer:
      return but_the_largest_parameters(list_temporaries_);
    case Saving::kEightBitMoments:
      return spared_of_moments(0);
    case Saving::kListedLetGo:
      return listed_bytes_;
    case Saving::kFrozenIn16Bits:
      return frozen_ / 2;
    case Saving::kGradientsCleared:
      return part != nullptr && part->kind == STRATA_PHASE_FORWARD && part->micro_batch == 0 ? gradients_ : 0;
    case Saving::kResidueLetGo:
      return residue_let_go(part);
    case Saving::kConcatenatedLetGo:
      return concatenated_bytes_;
    case Saving::kKeptLetGo:
      return kept_.bytes_at(sequence_);
    case Saving::kNoGraph:
      return unused_.bytes_at(sequence_);
  }
  return 0;
}

}  // namespace strata::analysis
