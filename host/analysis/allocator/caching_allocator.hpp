// SPDX-License-Identifier: Apache-2.0
// What the events of an allocator that caches say beyond those of one that does not: whole blocks, and what
// is reserved for them.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// `events` are all of one device, by sequence. Gives each ALLOCATE the size of the block it made, which the
// device's next event tells; without one, of what was asked for rounded up as torch does. Does nothing where
// the allocator keeps no count.
void use_whole_blocks(std::vector<MemoryRow>& events);

// A point for each event of a segment, or of the sum alone.
std::vector<ReservedPoint> reserved_points(const std::vector<MemoryRow>& events);

// Whether such settings (PYTORCH_ALLOC_CONF) let segments grow.
bool grows_segments(const std::string& settings);

// Whether the points are of segments: an allocator may tell their sum alone, and nobody knows what is free in
// pieces. True of no points.
bool has_segments(const std::vector<ReservedPoint>& points);

// For each of `failures`, by sequence, of what no block held then the largest piece of any segment. No block
// reaches from one segment into its neighbour, but where the allocator maps a segment piece by piece: with
// expandable_segments:True in its `settings`, or as soon as a block does.
void find_gaps(const std::vector<MemoryRow>& events, const std::string& settings,
               std::vector<FailureRow>& failures);

// The bytes reserved at `sequence`, and the most within [begin, end], what holds at its begin included. 0
// before the first point.
std::uint64_t reserved_at(const std::vector<ReservedPoint>& points, std::uint64_t sequence);
std::uint64_t most_reserved(const std::vector<ReservedPoint>& points, std::uint64_t begin_sequence,
                            std::uint64_t end_sequence);

}  // namespace strata::analysis
