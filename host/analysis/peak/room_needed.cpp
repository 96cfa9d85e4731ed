// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/room_needed.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace strata::analysis {

RoomNeeded::RoomNeeded(const Facts& facts, const OutOfMemory& failure, const Savings& savings, bool went_on)
    : facts_(facts),
      failure_(failure),
      savings_(savings),
      went_on_(went_on),
      missing_bytes_(missing_of(std::max({asked_with_loss() + failure.forward_to_come_bytes,
                                          failure.state_to_come_bytes, failure.pass_to_come_bytes}))) {}

std::uint64_t RoomNeeded::missing_of(std::uint64_t wanted_bytes) const {
  return wanted_bytes - std::min(failure_.device_free_bytes.value_or(0), wanted_bytes);
}

std::uint64_t RoomNeeded::asked_with_loss() const {
  return failure_.requested_bytes + failure_.loss_to_come_bytes + failure_.head_to_come_bytes;
}

Needed RoomNeeded::of(Saving saving, std::uint64_t missing_bytes) const {
  Needed needed = saving == Saving::kHalfPrecision ? of_half_precision(missing_bytes) : of_any(missing_bytes);
  if (saving == Saving::kHalfBatch && is_known()) needed.surely += savings_.untold_gradients();
  if (saving == Saving::kFrozenIn16Bits) needed.perhaps = 0;
  // A Trainer that sends them to the host lets go of the last batch's own, too, before the next.
  if (saving == Saving::kConcatenatedLetGo && went_on_)
    needed.perhaps -= std::min(needed.perhaps, savings_.one_concatenated_output());
  if (missing_in_next_step(margin()) > 0) {
    const std::optional<std::uint64_t> spared = spared_in_next_step(saving);
    if (spared && *spared >= missing_in_next_step(margin())) needed.surely = missing_bytes + on_top();
    if (spared && *spared < missing_in_next_step(0)) needed.perhaps = UINT64_MAX;
  }
  const bool lets_outputs_go = saving == Saving::kListedLetGo || saving == Saving::kConcatenatedLetGo;
  if (lets_outputs_go && is_told()) needed.surely = missing_bytes + on_top();
  // What a Trainer gathers of its outputs is as much whatever the batch.
  if (saving == Saving::kHalfEvaluation && !went_on_ && facts_.trainer == "transformers")
    needed.surely = UINT64_MAX;
  return needed;
}

// Pieces that are free may lie side by side where less is allocated.
Needed RoomNeeded::of_any(std::uint64_t missing_bytes) const {
  const Peak& held = failure_.held;
  const std::uint64_t in_pieces =
      went_on_ ? 0 : held.reserved_bytes - std::min(held.allocated_bytes, held.reserved_bytes);
  return {.perhaps = missing_bytes - std::min(missing_bytes, in_pieces + failure_.logits_let_go_bytes),
          .surely = is_known() ? missing_bytes + on_top() : UINT64_MAX};
}

// Each use of what stays in 32 bits may make a copy in 16, and what is asked for may be half: nobody sees
// here how much that is, nor whether a kernel takes an attention then.
Needed RoomNeeded::of_half_precision(std::uint64_t missing_bytes) const {
  const std::uint64_t of_scores = savings_.has_fallen_back() ? savings_.scores_bytes() : 0;
  const std::uint64_t perhaps = of_any(went_on_ ? missing_bytes : missing_bytes / 2).perhaps;
  return {.perhaps = perhaps - std::min(perhaps, of_scores),
          .surely = of_any(went_on_ ? with_room_for_copies(missing_bytes) : 2 * missing_bytes).surely};
}

bool RoomNeeded::is_known() const {
  return is_told() && !holds_more_and_more() && missing_in_next_step(margin()) == 0;
}

std::uint64_t RoomNeeded::missing_in_next_step(std::uint64_t margin_bytes) const {
  if (went_on_ || !failure_.device_free_bytes) return 0;
  const std::uint64_t wanted = failure_.next_step_bytes + margin_bytes;
  return failure_.next_step_bytes == 0 ? 0 : wanted - std::min(wanted, device_bytes());
}

// An optimizer's temporaries are gone before the next forward.
std::optional<std::uint64_t> RoomNeeded::spared_in_next_step(Saving saving) const {
  switch (saving) {
    case Saving::kFusedOptimizer:
    case Saving::kLoopOptimizer:
      return 0;
    case Saving::kEightBitMoments: {
      const std::uint64_t bytes = savings_.spared_of_moments(failure_.state_to_come_bytes);
      return bytes - std::min(bytes, savings_.temporaries_by_adam());
    }
    case Saving::kFrozenIn16Bits:
      return savings_.bytes(saving, nullptr);
    default:
      return std::nullopt;
  }
}

bool RoomNeeded::is_told() const {
  return !failure_.is_forward_untold && has_room_to_step();
}

bool RoomNeeded::holds_more_and_more() const {
  return !went_on_ && savings_.evaluations().runs_at(failure_.held.sequence) &&
         (savings_.bytes(Saving::kListedLetGo, nullptr) > 0 ||
          savings_.bytes(Saving::kConcatenatedLetGo, nullptr) > 0);
}

std::uint64_t RoomNeeded::on_top() const {
  return failure_.adam_to_come_bytes + failure_.gradients_to_come_bytes + margin();
}

std::uint64_t RoomNeeded::margin() const {
  constexpr std::uint64_t kSegment = std::uint64_t{20} << 20;  // as PyTorch's allocator asks for
  return went_on_ ? 0 : device_bytes() / 20 / kSegment * kSegment;
}

std::uint64_t RoomNeeded::device_bytes() const {
  return failure_.held.reserved_bytes + failure_.device_free_bytes.value_or(0);
}

bool RoomNeeded::has_room_to_step() const {
  const std::uint64_t moments = failure_.adam_to_come_bytes;
  if (moments == 0 || !failure_.device_free_bytes) return true;
  return failure_.held.categories[static_cast<std::size_t>(Category::kParameter)] + 2 * moments <=
         device_bytes();
}

}  // namespace strata::analysis
