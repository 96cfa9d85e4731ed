// SPDX-License-Identifier: Apache-2.0
// What the streams and the private pools of a caching allocator hold: what one of them has free no other can
// use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/peak.hpp"

namespace strata::analysis {

struct MemoryFacts;

// At the event `sequence`, of a CUDA device; most reserved first, or else most allocated. Places that hold
// nothing are left out.
std::vector<PlaceShare> places_at(const MemoryFacts& facts, std::uint64_t sequence);

// What is reserved and not allocated outside of the first of `shares`, which holds most; nothing where that
// is not known.
std::optional<std::uint64_t> free_elsewhere(const std::vector<PlaceShare>& shares);

}  // namespace strata::analysis
