// SPDX-License-Identifier: Apache-2.0
// What an optimizer's step was still to make when an allocation failed in it.
#pragma once

#include <cstdint>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// Optimizers make their state parameter by parameter, as a rule as many bytes for each byte of one: of those
// that have a gradient and no state yet, what the others lead one to expect. 0 outside of a first optimizer
// step, and where none has its state yet. Needs the blocks, phases and texts of `facts`, and `failure.held`.
std::uint64_t state_to_come(const Facts& facts, const OutOfMemory& failure);

// An operator that goes over all parameters at once makes as many bytes as they have: those of parameters
// with a gradient, less what the optimizer's step has made by that operator. The allocation that failed is
// part of it. 0 where no such operator of an optimizer asked. Needs `failure.op`, too.
std::uint64_t pass_to_come(const Facts& facts, const OutOfMemory& failure);

}  // namespace strata::analysis
