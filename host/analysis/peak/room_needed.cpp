// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/room_needed.hpp"

#include <algorithm>

namespace strata::analysis {

RoomNeeded::RoomNeeded(const OutOfMemory& failure, const Savings& savings, bool went_on)
    : failure_(failure),
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
  Needed needed{.perhaps = missing_bytes, .surely = missing_bytes};
  if (saving == Saving::kHalfPrecision) needed = of_half_precision(missing_bytes);
  if (saving == Saving::kHalfBatch) needed.surely += savings_.untold_gradients();
  if (saving == Saving::kFrozenIn16Bits) needed.perhaps = 0;
  needed.perhaps -= std::min(needed.perhaps, failure_.logits_let_go_bytes);
  needed.surely = with_state_to_come(needed.surely);
  return needed;
}

// Each use of what stays in 32 bits may make a copy in 16, and what is asked for may be half: nobody sees
// here how much that is, nor whether a kernel takes an attention then.
Needed RoomNeeded::of_half_precision(std::uint64_t missing_bytes) const {
  const std::uint64_t most = went_on_ ? missing_bytes : missing_bytes / 2;
  const std::uint64_t of_scores = savings_.has_fallen_back() ? savings_.scores_bytes() : 0;
  return {.perhaps = most - std::min(most, of_scores),
          .surely = went_on_ ? with_room_for_copies(missing_bytes) : 2 * missing_bytes};
}

std::uint64_t RoomNeeded::with_state_to_come(std::uint64_t missing_bytes) const {
  return has_room_to_step() ? missing_bytes + failure_.adam_to_come_bytes : UINT64_MAX;
}

bool RoomNeeded::has_room_to_step() const {
  const std::uint64_t moments = failure_.adam_to_come_bytes;
  if (moments == 0 || !failure_.device_free_bytes) return true;
  return failure_.held.categories[static_cast<std::size_t>(Category::kParameter)] + 2 * moments <=
         failure_.held.reserved_bytes + *failure_.device_free_bytes;
}

}  // namespace strata::analysis
