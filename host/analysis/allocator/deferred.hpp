// SPDX-License-Identifier: Apache-2.0
// Freed blocks of a caching allocator that a stream still uses.
#pragma once

#include <vector>

#include "host/analysis/facts/samples.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// `events` are all those of one device, by sequence, after use_whole_blocks. A point for each event that
// changes the sum.
std::vector<DeferredPoint> deferred_points(const std::vector<MemoryRow>& events);

}  // namespace strata::analysis
