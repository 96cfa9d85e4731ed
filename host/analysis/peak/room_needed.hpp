// SPDX-License-Identifier: Apache-2.0
// How much room is missing where an allocation failed, and what a saving has to gain to be enough for it.
#pragma once

#include <cstdint>
#include <optional>

#include "host/analysis/facts.hpp"
#include "host/analysis/peak/savings.hpp"

namespace strata::analysis {

// Of what a saving is said to gain: with how much it may be enough, and with how much it is.
struct Needed {
  std::uint64_t perhaps = 0, surely = 0;
};

class RoomNeeded {
 public:
  // Looks at `facts`, `failure` and `savings`, of that moment, which must outlive this. `went_on`: the run
  // was recorded whole.
  RoomNeeded(const Facts& facts, const OutOfMemory& failure, const Savings& savings, bool went_on);

  // What was asked for and is to come, less what the device had left. An optimizer asks for its state, and
  // for the temporaries of all parameters, in many allocations, of which one failed.
  std::uint64_t missing_bytes() const { return missing_bytes_; }
  // Of so many that are wanted then.
  std::uint64_t missing_of(std::uint64_t wanted_bytes) const;
  std::uint64_t asked_with_loss() const;

  // `missing_bytes`: what is missing beside that saving, without what comes on top. UINT64_MAX: nothing is
  // surely enough.
  Needed of(Saving saving, std::uint64_t missing_bytes) const;
  Needed of_any(std::uint64_t missing_bytes) const;

  // Whether anything can be said to be enough: not where nobody knows what a forward had yet to make, nor how
  // many more outputs an evaluation holds that holds all of them, nor where an optimizer's own step has no
  // room for all gradients beside its state and, over lists, what it makes of each parameter, nor where the
  // step behind its first one has none.
  bool is_known() const;
  // What an optimizer will keep is there beside the next step's forward, and gradients are beside that of a
  // step's next micro-batch; of a device that is full to within a
  // twentieth no segment may be found for what is asked for.
  std::uint64_t on_top() const;

 private:
  bool is_told() const;
  bool holds_more_and_more() const;
  std::uint64_t missing_in_next_step(std::uint64_t margin_bytes) const;
  std::optional<std::uint64_t> spared_in_next_step(Saving saving) const;  // nothing: nobody knows
  std::uint64_t margin() const;
  Needed of_half_precision(std::uint64_t missing_bytes) const;
  std::uint64_t device_bytes() const;
  bool has_room_to_step() const;

  const Facts& facts_;
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
