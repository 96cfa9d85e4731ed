// SPDX-License-Identifier: Apache-2.0
// What a training could have done without when an allocation failed. Each is a sum over blocks that were
// alive then, and names the setting of ours that does without them, or
// in a program that has no such settings what does it there.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// How far: of a whole run its other moments bound what a remedy is worth, for one of them is its peak then.
enum class Recorded : std::uint8_t { kUpToFailure, kWhole };

// `failure`'s remedies are not looked at. Those that leave enough room first, then the largest.
std::vector<Remedy> find_remedies(const Facts& facts, const OutOfMemory& failure,
                                  Recorded recorded = Recorded::kUpToFailure);

}  // namespace strata::analysis
