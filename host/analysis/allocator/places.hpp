// SPDX-License-Identifier: Apache-2.0
// The memory of each stream and private pool of a caching allocator: free memory of one cannot be used by
// another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/peak.hpp"

namespace strata::analysis {

struct MemoryFacts;

// At the event `sequence` of a CUDA device; most reserved, or else most allocated, first. Empty places are
// omitted.
std::vector<PlaceShare> places_at(const MemoryFacts& facts, std::uint64_t sequence);

// Memory reserved but not allocated outside of the first, largest one of `shares`; empty if unknown.
std::optional<std::uint64_t> free_elsewhere(const std::vector<PlaceShare>& shares);

}  // namespace strata::analysis
