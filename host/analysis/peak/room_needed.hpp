// SPDX-License-Identifier: Apache-2.0
// How much room is missing where an allocation failed, and what a saving has to gain to be enough for it.
#pragma once

#include <cstdint>

#include "host/analysis/facts.hpp"
#include "host/analysis/peak/savings.hpp"

namespace strata::analysis {

// Of what a saving is said to gain: with how much it may be enough, and with how much it is.
struct Needed {
  std::uint64_t perhaps = 0, surely = 0;
};

class RoomNeeded {
 public:
  // Looks at `failure` and `savings`, of that moment, which must outlive this. `went_on`: the run was
  // recorded whole.
  RoomNeeded(const OutOfMemory& failure, const Savings& savings, bool went_on);

  // What was asked for and is to come, less what the device had left. An optimizer asks for its state, and
  // for the temporaries of all parameters, in many allocations, of which one failed.
  std::uint64_t missing_bytes() const { return missing_bytes_; }
  // Of so many that are wanted then.
  std::uint64_t missing_of(std::uint64_t wanted_bytes) const;
  std::uint64_t asked_with_loss() const;

  // `missing_bytes`: what is missing beside that saving, without an optimizer's state.
  Needed of(Saving saving, std::uint64_t missing_bytes) const;
  // What an optimizer will keep is there beside the next step's forward. UINT64_MAX: nothing is enough.
  std::uint64_t with_state_to_come(std::uint64_t missing_bytes) const;
  // In its own step it has all gradients beside that and, over lists, what it makes of each parameter.
  bool has_room_to_step() const;

 private:
  Needed of_half_precision(std::uint64_t missing_bytes) const;

  const OutOfMemory& failure_;
  const Savings& savings_;
  bool went_on_;
  std::uint64_t missing_bytes_;
};

// What a forward in 16 bits gains is a fifth less than was said, at worst.
constexpr std::uint64_t with_room_for_copies(std::uint64_t missing_bytes) {
  return missing_bytes + missing_bytes / 4;
}

}  // namespace strata::analysis
