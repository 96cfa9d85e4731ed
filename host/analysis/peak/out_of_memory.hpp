// SPDX-License-Identifier: Apache-2.0
// What filled the device when an allocation failed, and what would have left room.
#pragma once

#include <vector>

#include "host/analysis/facts.hpp"
#include "host/analysis/layers/layers.hpp"
#include "host/analysis/ops.hpp"
#include "host/analysis/reading/recording.hpp"

namespace strata::analysis {

// Needs the blocks, phases, steps, texts and reserved points of `facts`.
std::vector<OutOfMemory> explain_failures(const Facts& facts, const Recording& run, const OpTable& ops,
                                          const Layers& layers);

// None has begun by then, and none's state is there.
bool is_before_any_optimizer(const Facts& facts, const OutOfMemory& failure);

}  // namespace strata::analysis
