// SPDX-License-Identifier: Apache-2.0
// The additional information in the events of a caching allocator: real block sizes, and reserved memory.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// `events` are all those of one device, by sequence. Gives each ALLOCATE the size of its block, from the
// device's next event; without one, the requested size rounded up as in torch. No effect if the allocator
// does not count.
void use_whole_blocks(std::vector<MemoryRow>& events);

// A point for each event of a segment, or of the sum only.
std::vector<ReservedPoint> reserved_points(const std::vector<MemoryRow>& events);

// Whether these settings (PYTORCH_ALLOC_CONF) allow segments to grow.
bool grows_segments(const std::string& settings);

// Whether the points describe segments. If an allocator only reports their sum, it is unknown which free
// pieces there are. True without points.
bool has_segments(const std::vector<ReservedPoint>& points);

// Sets for each of `failures`, by sequence, the largest piece of a segment that no block occupied. A block
// never reaches into a neighbouring segment, unless the allocator maps a segment piece by piece: with
// expandable_segments:True in `settings`, or as soon as one block does.
void find_gaps(const std::vector<MemoryRow>& events, const std::string& settings,
               std::vector<FailureRow>& failures);

// The bytes reserved at `sequence`, and the maximum within [begin, end], including the value at its begin. 0
// before the first point.
std::uint64_t reserved_at(const std::vector<ReservedPoint>& points, std::uint64_t sequence);
std::uint64_t most_reserved(const std::vector<ReservedPoint>& points, std::uint64_t begin_sequence,
                            std::uint64_t end_sequence);

}  // namespace strata::analysis
