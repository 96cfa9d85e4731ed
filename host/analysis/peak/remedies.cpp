// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/remedies.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/layers/layer_paths.hpp"
#include "host/analysis/peak/out_of_memory.hpp"
#include "host/analysis/shapes/program_words.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

using Holds = std::function<bool(const Block&)>;

class RemedyFinder {
 public:
  RemedyFinder(const Facts& facts, const OutOfMemory& failure) : facts_(facts), failure_(failure) {
    // An optimizer's first step asks for its state in many allocations, of which one failed.
    missing_bytes_ = missing_of(std::max(failure.requested_bytes, failure.state_to_come_bytes));
  }

  std::vector<Remedy> find() {
    if (is_before_any_forward(facts_, failure_)) {
      parameters();
      return std::move(remedies_);
    }
    fragmentation();
    checkpointing();
    attention_scores();
    smaller_batch();
    half_precision();
    optimizer_temporaries();
    add("8-bit moments (optimizer.name: adam8bit)", moments_bytes() / 4 * 3,
        "three quarters of Adam's moments");
    gradients();
    std::ranges::stable_sort(remedies_, [](const Remedy& left, const Remedy& right) {
      return std::pair(left.enough, left.bytes) > std::pair(right.enough, right.bytes);
    });
    return std::move(remedies_);
  }

 private:
  // What a program sets up before its first forward is its model, as a rule, in 32 bits unless it says
  // otherwise.
  void parameters() {
    add("parameters in 16 bits (precision: bf16)", failure_.held.allocated_bytes / 2,
        "half of what was set up, if it is a model in 32 bits", Alone::kNeverEnough);
  }

  // What may do for the allocation that failed does not for those that come behind it.
  enum class Alone : std::uint8_t { kMayBeEnough, kNeverEnough };

  void add(std::string change, std::uint64_t bytes, std::string reason, Alone alone = Alone::kMayBeEnough) {
    add_for(missing_bytes_, std::move(change), bytes, std::move(reason), alone);
  }

  // Below a hundredth of what is missing nobody looks at it.
  void add_for(std::uint64_t missing_bytes, std::string change, std::uint64_t bytes, std::string reason,
               Alone alone = Alone::kMayBeEnough) {
    constexpr std::uint64_t kWorthSaying = 100;
    if (bytes == 0 || bytes < missing_bytes / kWorthSaying) return;
    if (!facts_.is_configured) change = in_words_of_program(std::move(change), facts_.trainer);
    const bool enough = alone == Alone::kMayBeEnough && bytes >= missing_bytes;
    remedies_.push_back({std::move(change), bytes, std::move(reason), enough});
  }

  std::uint64_t missing_of(std::uint64_t wanted) const {
    return wanted - std::min(failure_.device_free_bytes.value_or(0), wanted);
  }

  bool is_alive(const Block& block) const { return block.is_alive_at(failure_.held.sequence); }

  std::uint64_t bytes_of(const Holds& holds) const {
    std::uint64_t bytes = 0;
    for (const Block& block : facts_.blocks) {
      if (is_alive(block) && holds(block)) bytes += block.bytes;
    }
    return bytes;
  }

  bool is_moment(const Block& block) const {
    const std::string_view name = facts_.texts[block.name];
    return block.category == Category::kOptimizerState &&
           (name.ends_with(".exp_avg") || name.ends_with(".exp_avg_sq"));
  }

  // With those that are still to come.
  std::uint64_t moments_bytes() const {
    const std::uint64_t bytes = bytes_of([this](const Block& block) { return is_moment(block); });
    return bytes == 0 ? 0 : bytes + failure_.state_to_come_bytes;
  }

  // Also of a forward that was cut short: nobody knows yet what its backward would have read.
  static bool is_for_backward(const Block& block) {
    return block.category == Category::kActivation &&
           (block.kind == "saved" || block.kind == "forward_residue");
  }

  // Free, but in pieces that are each too small. What shares a handle with a block stays where it is.
  void fragmentation() {
    if (grows_segments(facts_.allocator_settings)) return;
    if (failure_.largest_gap_bytes >= failure_.requested_bytes || !segments_are_told(facts_.reserved)) return;
    add("segments that grow (PYTORCH_ALLOC_CONF=expandable_segments:True)", failure_.whole_handle_bytes,
        "reserved and not allocated, in pieces that were too small; whole stretches of 20 MiB alone can move",
        Alone::kNeverEnough);
  }

  // A checkpointed block's saved tensors are there while it goes backward: those of one at a time. Where
  // blocks are recomputed already, what is saved is what they begin with.
  void checkpointing() {
    if (std::ranges::any_of(facts_.blocks, [](const Block& block) { return block.kind == "recompute"; }))
      return;
    std::map<std::string_view, std::uint64_t> saved;
    std::uint64_t all = 0, largest = 0;
    for (const Block& block : facts_.blocks) {
      if (!is_alive(block) || !is_for_backward(block)) continue;
      const std::string_view repeated =
          repeated_block(facts_.texts[block.saver != 0 ? block.saver : block.layer]);
      if (repeated.empty()) continue;
      largest = std::max(largest, saved[repeated] += block.bytes);
      all += block.bytes;
    }
    if (saved.size() > 1)
      add("checkpointed blocks (checkpointing: block)", all - largest,
          "saved for backward by all blocks but one");
  }

  // A softmax keeps what it made; that of attention is as large as the square of the context.
  void attention_scores() {
    std::uint64_t bytes = 0;
    int softmaxes = 0;
    for (const Block& block : facts_.blocks) {
      if (!is_alive(block) || !is_for_backward(block) || facts_.texts[block.op] != "aten::_softmax") continue;
      bytes += block.bytes;
      ++softmaxes;
    }
    if (softmaxes > 1) add("attention in one kernel (attention: sdpa)", bytes, "what each softmax keeps");
  }

  // While the second half goes forward and backward, the first one's gradients are there. A forward asks for
  // half as much, too.
  void smaller_batch() {
    const std::uint64_t half = activation_bytes() / 2;
    const std::uint64_t gradients = held(Category::kGradient);
    const std::uint64_t more = held(Category::kParameter) - std::min(gradients, held(Category::kParameter));
    if (half <= more) return;
    const bool asks_for_half = phase_at_failure(STRATA_PHASE_FORWARD) != nullptr;
    add_for(
        asks_for_half ? missing_of(failure_.requested_bytes / 2) : missing_bytes_,
        "half the batch, accumulated twice (data.batch_size, accumulation)", half - more,
        more == 0 ? "half of the activations" : "half of the activations, less the gradients of one half");
  }

  // Of matrices in 32 bits autocast makes copies in 16, and keeps those of weights until backward has ended.
  void half_precision() {
    std::uint64_t wide = 0;
    for (const Block& block : facts_.blocks) {
      if (!is_alive(block)) continue;
      if (block.kind == "autocast_copy") return;
      const bool is_wide = facts_.texts[facts_.forms[block.form].dtype] == "float32";
      if (block.category == Category::kParameter && is_wide) wide += block.bytes;
    }
    const std::uint64_t half = activation_bytes() / 2;
    if (wide < held(Category::kParameter) / 2 || wide == 0 || half <= wide / 2) return;
    add("a forward in 16 bits (precision: bf16_autocast)", half - wide / 2,
        "half of the activations, less copies of the weights");
  }

  // Of a list of tensors at once: all of them are there together, the one that is asked for too.
  void optimizer_temporaries() {
    std::uint64_t bytes = bytes_of([](const Block& block) { return block.kind == "optimizer_temp"; });
    if (phase_at_failure(STRATA_PHASE_OPTIMIZER) != nullptr &&
        facts_.texts[failure_.op].starts_with("aten::_foreach"))
      bytes += failure_.requested_bytes;
    add("a fused optimizer (optimizer.impl: fused)", bytes, "temporaries of the optimizer's step");
  }

  std::uint64_t activation_bytes() const {
    return bytes_of([](const Block& block) {
      return block.category == Category::kActivation && block.kind != "autocast_copy";
    });
  }

  std::uint64_t held(Category category) const {
    return failure_.held.categories[static_cast<std::size_t>(category)];
  }

  // The phase of that kind in which the allocation failed; null outside of one.
  const PhaseFact* phase_at_failure(std::uint32_t kind) const {
    const auto found = std::ranges::find_if(facts_.phases, [&](const PhaseFact& phase) {
      return phase.kind == kind && phase.begin_sequence <= failure_.held.sequence &&
             failure_.held.sequence < phase.end_sequence;
    });
    return found == facts_.phases.end() ? nullptr : &*found;
  }

  void gradients() {
    const PhaseFact* const forward = phase_at_failure(STRATA_PHASE_FORWARD);
    if (forward == nullptr || forward->micro_batch != 0) return;
    add("gradients cleared before forward (zero_grad: {at: step_start, set_to_none: true})",
        held(Category::kGradient), "gradients of the step before");
  }

  const Facts& facts_;
  const OutOfMemory& failure_;
  std::uint64_t missing_bytes_ = 0;
  std::vector<Remedy> remedies_;
};

}  // namespace

std::vector<Remedy> find_remedies(const Facts& facts, const OutOfMemory& failure) {
  return RemedyFinder(facts, failure).find();
}

}  // namespace strata::analysis
