// SPDX-License-Identifier: Apache-2.0
// Blocks of a caching allocator that were freed and that a stream still uses.
#pragma once

#include <vector>

#include "host/analysis/facts/samples.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// `events` are all of one device, by sequence, after use_whole_blocks. A point for each that changes
// something.
std::vector<DeferredPoint> deferred_points(const std::vector<MemoryRow>& events);

}  // namespace strata::analysis
