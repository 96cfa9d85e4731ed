// SPDX-License-Identifier: Apache-2.0
// What a forward or an optimizer's step was still to make when an allocation failed in it.
#pragma once

#include <cstdint>
#include <string_view>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// The parameter that a gradient of that name is of: "layers.0.weight" of itself, and of
// "layers.0.weight.grad".
std::string_view trained_by(std::string_view gradient);

// Optimizers make their state parameter by parameter, as a rule as many bytes for each byte of one: of those
// that have a gradient and no state yet, what the others lead one to expect. 0 outside of a first optimizer
// step, and where none has its state yet. Needs the blocks, phases and texts of `facts`, and `failure.held`.
std::uint64_t state_to_come(const Facts& facts, const OutOfMemory& failure);

// An operator that goes over all parameters at once makes as many bytes as they have: those of parameters
// with a gradient, less what the optimizer's step has made by that operator. The allocation that failed is
// part of it. 0 where no such operator of an optimizer asked. Needs `failure.op`, too.
std::uint64_t pass_to_come(const Facts& facts, const OutOfMemory& failure);

// The last forward before that one which a backward followed; null where none did.
const PhaseFact* forward_before(const Facts& facts, const PhaseFact& forward);

// Blocks of a model that repeat keep about as much for backward each: those that a forward had not come to
// would have kept it too, and those of a later stage about half of it where they are twice as wide. Where a
// forward went to its end before it, as much as that one kept. 0 outside of a forward, and where the layers
// of what it made are not known.
struct ForwardToCome {
  std::uint64_t bytes = 0;
  bool is_as_before = false;      // as a forward before it kept
  bool has_stages = false;        // a stage was not begun
  bool has_other_blocks = false;  // blocks of another kind were not begun, as a decoder's behind an encoder
  // None of its blocks is known, or these, nor a backward of an earlier one; or it is larger than the one
  // before it, as of a longer batch, or of an evaluation that keeps its graphs.
  bool is_untold = false;
};
ForwardToCome forward_to_come(const Facts& facts, const OutOfMemory& failure);

// A loss over logits makes as much again as it asked for: for backward what softmax gave, and there the
// gradient of it and of the logits. 0 where nothing is kept for a backward. Needs `failure.op`, too.
std::uint64_t loss_to_come(const Facts& facts, const OutOfMemory& failure);

// Before its first step nobody sees what an optimizer will keep: of Adam, as most are, two moments as large
// as what is trained. All parameters are where none has a gradient yet; an average is not. 0 outside of a
// training's step, and where an optimizer has begun one.
std::uint64_t adam_to_come(const Facts& facts, const OutOfMemory& failure);

// Where gradients are accumulated, a step's later micro-batches have all of them beside what they make: those
// that are not there yet. 0 outside of a forward and backward, and where no step has had several.
std::uint64_t gradients_to_come(const Facts& facts, const OutOfMemory& failure);

// The next step goes forward and backward beside the state that an optimizer's first one makes: with the most
// that this step has taken before it. 0 outside of a first optimizer step. Needs the points and steps of
// `facts`, and `failure.state_to_come_bytes`.
std::uint64_t next_step(const Facts& facts, const OutOfMemory& failure);

}  // namespace strata::analysis
