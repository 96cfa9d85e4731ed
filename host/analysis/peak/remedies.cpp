// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/remedies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/head_to_come.hpp"
#include "host/analysis/peak/held_by_program.hpp"
#include "host/analysis/peak/out_of_memory.hpp"
#include "host/analysis/peak/room_needed.hpp"
#include "host/analysis/peak/saving_set.hpp"
#include "host/analysis/peak/savings.hpp"
#include "host/analysis/peak/together.hpp"
#include "host/analysis/shapes/program_words.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// As in_words_of_program() knows it.
constexpr const char* kHalfTheEvaluation = "half the batch in evaluation (its loader's batch_size)";

class RemedyFinder {
 public:
  RemedyFinder(const Facts& facts, const OutOfMemory& failure, Recorded recorded)
      : facts_(facts),
        failure_(failure),
        savings_(facts),
        needed_(facts, failure, savings_, recorded == Recorded::kWhole),
        missing_bytes_(needed_.missing_bytes()),
        phases_(facts.phases) {
    if (recorded == Recorded::kWhole) highest_left_ = highest_left(facts, savings_, each_alone());
    savings_.look_at(failure.held.sequence);
    for (const Block& block : facts.blocks)
      if (block.is_alive_at(failure.held.sequence)) savings_.add(block);
    if (const auto part = phases_.part_of_step(failure.held.sequence)) part_ = &facts.phases[*part];
  }

  std::vector<Remedy> find() {
    if (is_before_any_forward(facts_, failure_)) {
      if (const auto from = computes_from(facts_, failure_))
        before_training(*from);
      else
        parameters();
      return std::move(remedies_);
    }
    fragmentation();
    if (!ran_out_in_evaluation()) {
      checkpointing();
      loss_in_pieces();
      smaller_batch();
    }
    attention();
    smaller_evaluation();
    half_precision();
    add(Saving::kFrozenIn16Bits, "what is not trained in 16 bits (precision: bf16)",
        "half of the parameters that have no gradient, and more where what they compute is in 16 bits, "
        "too; a moving average would stand still");
    optimizer_temporaries();
    moments();
    add(Saving::kGradientsCleared,
        "gradients cleared before forward (zero_grad: {at: step_start, set_to_none: true})",
        "gradients of the step before");
    for (HeldByProgram& held :
         held_by_program(facts_, savings_, failure_.held.sequence, part_, highest_left_.has_value()))
      add(held.saving, std::move(held.change), std::move(held.reason));
    concatenated();
    if (!highest_left_ && std::ranges::none_of(remedies_, &Remedy::enough)) {
      const std::uint64_t bytes = savings_.half_of_parameters();
      const Needed needed = needed_.of_any(missing_bytes_);
      add_remedy(needed.surely - failure_.adam_to_come_bytes / 2,
                 {.change = "parameters in 16 bits (precision: bf16)",
                  .bytes = bytes,
                  .reason = "half of those in 32 bits, and of their gradients",
                  .may_be_enough = bytes >= needed.perhaps,
                  .peak_then = {}},
                 Alone::kMayBeEnough);
    }
    if (needed_.is_known() && std::ranges::none_of(remedies_, &Remedy::enough)) together();
    std::ranges::stable_sort(remedies_, [](const Remedy& left, const Remedy& right) {
      return std::pair(left.enough, left.bytes) > std::pair(right.enough, right.bytes);
    });
    return std::move(remedies_);
  }

 private:
  // What may do for the allocation that failed does not for those that come behind it.
  enum class Alone : std::uint8_t { kMayBeEnough, kNeverEnough };

  // What a program sets up before its first forward is its model, as a rule, in 32 bits unless it says
  // otherwise.
  void parameters() {
    add_remedy(missing_bytes_,
               {.change = "parameters in 16 bits (precision: bf16)",
                .bytes = failure_.held.allocated_bytes / 2,
                .reason = "half of what was set up, if it is a model in 32 bits",
                .peak_then = {}},
               Alone::kNeverEnough);
  }

  // Whose what it computes is nobody knows, nor how much more of it comes.
  void before_training(std::uint64_t computes_from) {
    const std::uint64_t made = failure_.requested_bytes + alive_from(facts_, failure_, computes_from);
    const auto may_be = [&](std::string change, std::uint64_t bytes, std::string reason) {
      add_remedy(UINT64_MAX,
                 {.change = std::move(change),
                  .bytes = bytes,
                  .reason = std::move(reason),
                  .may_be_enough = bytes >= missing_bytes_,
                  .peak_then = {}},
                 Alone::kNeverEnough);
    };
    may_be("parameters in 16 bits (precision: bf16)",
           (failure_.held.allocated_bytes + failure_.requested_bytes) / 2,
           "half of what is there and was asked for, if all of it is in 32 bits");
    may_be(kHalfTheEvaluation, made / 2,
           "half of what was made from the first product on, less what it keeps of all batches");
  }

  void add(Saving saving, std::string change, std::string reason) {
    add(saving, savings_.bytes(saving, part_), missing_bytes_, std::move(change), std::move(reason));
  }

  // Of a run that went on, another moment may be the highest then: no more is gained than the distance to it.
  void add(Saving saving, std::uint64_t bytes, std::uint64_t missing_bytes, std::string change,
           std::string reason) {
    asked_.push_back({saving, bytes, missing_bytes + needed_.on_top(), change});
    Remedy remedy{.change = std::move(change), .bytes = bytes, .reason = std::move(reason), .peak_then = {}};
    if (spares_blocks_to_come(saving))
      missing_bytes -= std::min(spared_to_come(saving, bytes), missing_bytes);
    if (highest_left_) leave(remedy, highest_left_->at(static_cast<std::size_t>(saving)), bytes);
    const Needed needed = needed_.of(saving, missing_bytes);
    remedy.may_be_enough = remedy.bytes >= needed.perhaps;
    add_remedy(needed.surely, std::move(remedy), Alone::kMayBeEnough);
  }

  // The one block that checkpoints keep is among those that are there.
  std::uint64_t spared_to_come(Saving saving, std::uint64_t bytes) const {
    const std::uint64_t kept = saving == Saving::kCheckpoints ? savings_.largest_block() : 0;
    return savings_.spared_to_come(bytes + kept, failure_.forward_to_come_bytes);
  }

  // Another moment may be the highest then: no more is gained than the distance to it.
  void leave(Remedy& remedy, const Left& left, std::uint64_t bytes) const {
    const std::uint64_t peak = failure_.held.allocated_bytes;
    remedy.bytes = std::min(bytes, peak - std::min(left.bytes, peak));
    PeakThen& then = remedy.peak_then.emplace();
    then.bytes = peak - remedy.bytes;
    const auto phase = phases_.innermost(left.sequence);
    then.phase = phase ? facts_.phases[*phase].name : savings_.evaluations().phase_at(left.sequence);
  }

  // Each by itself is said behind it.
  void together() {
    const std::optional<EnoughTogether> found =
        enough_together(facts_, asked_,
                        {.savings = savings_,
                         .missing_bytes = missing_bytes_ + needed_.on_top(),
                         .to_come_bytes = failure_.forward_to_come_bytes,
                         .peak_bytes = highest_left_ ? failure_.held.allocated_bytes : 0});
    if (!found) return;
    Remedy remedy{.change = {},
                  .bytes = found->bytes,
                  .reason = found->set.size() == 2 ? "both, where neither is enough by itself"
                                                   : "all three, where no two are enough",
                  .enough = true,
                  .may_be_enough = true,
                  .peak_then = {}};
    for (const Saving saving : found->set) {
      std::string change = std::ranges::find(asked_, saving, &AskedAbout::saving)->change;
      if (!facts_.is_configured) change = in_words_of_program(std::move(change), facts_.trainer);
      remedy.change += (remedy.change.empty() ? "" : " + ") + change;
    }
    if (found->left) leave(remedy, *found->left, found->bytes);
    remedies_.push_back(std::move(remedy));
  }

  // Below a hundredth of what is missing nobody looks at it.
  void add_remedy(std::uint64_t missing_bytes, Remedy remedy, Alone alone) {
    constexpr std::uint64_t kWorthSaying = 100;
    if (remedy.bytes == 0 || remedy.bytes < missing_bytes_ / kWorthSaying) return;
    if (!facts_.is_configured) remedy.change = in_words_of_program(std::move(remedy.change), facts_.trainer);
    remedy.enough = alone == Alone::kMayBeEnough && remedy.bytes >= missing_bytes;
    remedies_.push_back(std::move(remedy));
  }

  // A training's forward and backward are elsewhere.
  bool ran_out_in_evaluation() const { return !highest_left_ && is_in_evaluation(); }

  bool is_in_evaluation() const { return savings_.evaluations().runs_at(failure_.held.sequence); }

  bool is_in(std::uint32_t kind) const {
    return open_phase(facts_.phases, kind, failure_.held.sequence) != nullptr;
  }

  // Free, but in pieces that are each too small. What shares a handle with a block stays where it is.
  void fragmentation() {
    if (grows_segments(facts_.allocator_settings)) return;
    if (failure_.largest_gap_bytes >= failure_.requested_bytes || !segments_are_told(facts_.reserved)) return;
    const std::uint64_t bytes = failure_.whole_handle_bytes;
    const bool more_comes = asks_for_more_outputs();
    add_remedy(needed_.of_any(missing_bytes_).surely,
               {.change = "segments that grow (PYTORCH_ALLOC_CONF=expandable_segments:True)",
                .bytes = bytes,
                .reason = "reserved and not allocated, in pieces that were too small; whole stretches of 20 "
                          "MiB alone can move",
                .may_be_enough = !more_comes && bytes >= missing_bytes_,
                .peak_then = {}},
               more_comes ? Alone::kNeverEnough : Alone::kMayBeEnough);
  }

  void checkpointing() {
    const std::uint64_t bytes =
        highest_left_ ? savings_.bytes(Saving::kCheckpoints, part_) : savings_.checkpointed_but_the_largest();
    // While head and loss go forward and backward, no block is computed again.
    const std::uint64_t kept_beside_head = std::min(savings_.largest_block(), failure_.head_to_come_bytes);
    add(Saving::kCheckpoints, bytes, missing_bytes_ - std::min(kept_beside_head, missing_bytes_),
        "checkpointed blocks (checkpointing: block)",
        "saved for backward by all blocks but one, less what each hands to the next");
  }

  // torch picks a kernel by what it is given, a mask, a dropout, sizes, and computes by itself where none
  // fits.
  void attention() {
    add(Saving::kAttentionInOneKernel,
        savings_.has_fallen_back() ? "attention in one kernel, where none took this one (attention: sdpa)"
                                   : "attention in one kernel (attention: sdpa)",
        "what each softmax and its dropout keep; a mask, a dropout, strides, the size of a head or, in 32 "
        "bits, fewer heads of keys (enable_gqa) can keep kernels off");
  }

  void half_precision() {
    add(Saving::kHalfPrecision, "a forward in 16 bits (precision: bf16_autocast)",
        fmt::format(
            "about half of the activations but those that stay in 32 bits, less copies of the weights{}",
            savings_.has_fallen_back() ? "; more where a kernel takes attention in 16 bits" : ""));
  }

  // A training of ours computes its loss whole; one that is computed again in backward is in pieces already.
  void loss_in_pieces() {
    if (facts_.is_configured || is_in_evaluation() ||
        std::ranges::any_of(facts_.blocks, [&](const Block& block) {
          return block.kind == "recompute" && is_of_loss(facts_.texts[block.op]);
        }))
      return;
    const bool asks =
        !highest_left_ && (is_of_loss(facts_.texts[failure_.op]) || asks_for_logits(facts_, failure_));
    const auto but_a_piece = [](std::uint64_t bytes) { return bytes - bytes / kPiecesOfLoss; };
    const std::uint64_t asked = needed_.asked_with_loss() - failure_.logits_let_go_bytes;
    const std::uint64_t known = savings_.bytes(Saving::kLossInPieces, part_);
    const std::uint64_t untold = known == 0 ? but_a_piece(logits_before_their_loss(facts_, failure_)) : 0;
    add(Saving::kLossInPieces, asks ? known + but_a_piece(asked) : known,
        asks ? missing_bytes_ - std::min(missing_bytes_, untold) : missing_bytes_,
        fmt::format("head and loss in {} pieces of the {}, each computed again in backward", kPiecesOfLoss,
                    has_op(facts_, "aten::nll_loss2d_forward") ? "pixels" : "tokens"),
        asks ? "all but one piece of the logits, of what a loss makes of them, and of what was asked for"
             : "all but one piece of the logits, and of what a loss makes of them");
  }

  // A forward asks for half as much, too.
  void smaller_batch() {
    if (facts_.batch_size == 1) return;
    const bool asks_for_half = !highest_left_ && is_in(STRATA_PHASE_FORWARD);
    add(Saving::kHalfBatch, savings_.bytes(Saving::kHalfBatch, part_),
        asks_for_half ? needed_.missing_of(needed_.asked_with_loss() / 2 + failure_.forward_to_come_bytes)
                      : missing_bytes_,
        "half the batch, accumulated twice (data.batch_size, accumulation)",
        fmt::format("half of what forward makes and of gradients on their way to it{}{}", less_gradients(),
                    normalizes_over_batch() ? "; a batch normalization sees half a batch then" : ""));
  }

  std::string less_gradients() const {
    if (savings_.gradients_of_half() > 0) return ", less the gradients of one half";
    const std::uint64_t most = savings_.untold_gradients();
    if (most == 0) return "";
    return fmt::format(
        ", less the gradients of one half, which no backward has told yet: {} MiB if all is trained",
        fmt::group_digits((most + (1 << 20) - 1) >> 20));
  }

  bool normalizes_over_batch() const {
    return std::ranges::any_of(facts_.texts, [](const std::string& text) {
      return text.starts_with("aten::") && text.find("batch_norm") != std::string::npos;
    });
  }

  // A training of ours does none.
  void smaller_evaluation() {
    if (facts_.is_configured) return;
    if (asks_for_more_outputs()) return;
    const bool asks_for_half = !highest_left_ && !has_backward_to_come(facts_, failure_.held.sequence);
    add(Saving::kHalfEvaluation, savings_.bytes(Saving::kHalfEvaluation, part_),
        asks_for_half ? needed_.missing_of(failure_.requested_bytes / 2) : missing_bytes_, kHalfTheEvaluation,
        "half of what forwards make that no backward follows");
  }

  // Of a list of tensors at once: all of them are there together, those that were still to come too.
  void optimizer_temporaries() {
    std::uint64_t to_come = 0;
    if (is_in(STRATA_PHASE_OPTIMIZER) && facts_.texts[failure_.op].starts_with("aten::_foreach"))
      to_come = std::max(failure_.requested_bytes, failure_.pass_to_come_bytes);
    const bool has_fused = part_ == nullptr || may_be_fused(part_->name);
    add(Saving::kFusedOptimizer, savings_.bytes(Saving::kFusedOptimizer, part_) + (has_fused ? to_come : 0),
        missing_bytes_, "a fused optimizer (optimizer.impl: fused)", "temporaries of the optimizer's step");
    add(Saving::kLoopOptimizer,
        savings_.bytes(Saving::kLoopOptimizer, part_) +
            (has_fused ? 0 : savings_.but_the_largest_parameters(to_come)),
        missing_bytes_, "a loop over the parameters (optimizer.impl: loop)",
        "temporaries of the optimizer's step but those of the largest parameter");
  }

  void moments() {
    const bool are_narrow = savings_.has_narrow_moments();
    add(Saving::kEightBitMoments, savings_.spared_of_moments(failure_.state_to_come_bytes), missing_bytes_,
        "8-bit moments (optimizer.name: adam8bit)",
        fmt::format("{} of Adam's moments{}{}", are_narrow ? "half" : "three quarters",
                    facts_.trainer == "transformers" ? " but those of embeddings, which stay in 32 bits" : "",
                    savings_.temporaries_by_adam() > 0 ? ", and the temporaries of its step" : ""));
  }

  void concatenated() {
    if (facts_.is_configured) return;
    const bool asks_for_more = asks_for_more_outputs();
    const std::uint64_t held = savings_.bytes(Saving::kConcatenatedLetGo, part_);
    add(Saving::kConcatenatedLetGo, asks_for_more ? held + failure_.requested_bytes : held,
        asks_for_more ? 0 : missing_bytes_, kOutputsToHost,
        savings_.concatenated_outputs() == 0
            ? "what aten::cat puts together of outputs, which the host holds then"
            : fmt::format("what aten::cat puts together of {} outputs, the old one beside the new, which the "
                          "host holds then",
                          savings_.concatenated_outputs()));
  }

  // The first two of an evaluation, or one more.
  bool asks_for_more_outputs() const {
    return facts_.texts[failure_.op] == "aten::cat" && ran_out_in_evaluation() &&
           (facts_.trainer == "transformers" || savings_.concatenated_outputs() > 0);
  }

  const Facts& facts_;
  const OutOfMemory& failure_;
  Savings savings_;
  const RoomNeeded needed_;
  const std::uint64_t missing_bytes_;
  OpenPhases phases_;
  const PhaseFact* part_ = nullptr;
  std::optional<std::vector<Left>> highest_left_;  // of each saving by its number
  std::vector<AskedAbout> asked_;
  std::vector<Remedy> remedies_;
};

}  // namespace

std::vector<Remedy> find_remedies(const Facts& facts, const OutOfMemory& failure, Recorded recorded) {
  return RemedyFinder(facts, failure, recorded).find();
}

}  // namespace strata::analysis
