// SPDX-License-Identifier: Apache-2.0
// The allocator's segments at the end of a run, and their contents, for a snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

// Disjoint intervals of addresses. Adjacent intervals remain separate.
class Ranges {
 public:
  // Adds [begin, end), replacing previous contents.
  void add(std::uint64_t begin, std::uint64_t end);
  void remove(std::uint64_t begin, std::uint64_t end);
  // Merges [begin, end) with all intervals at most `gap` away.
  void merge(std::uint64_t begin, std::uint64_t end, std::uint64_t gap);

  // Whether one interval contains all of [begin, end), or several adjacent ones do.
  enum class Held { kNot, kByOne, kBySeveral };
  Held held(std::uint64_t begin, std::uint64_t end) const;

  const std::map<std::uint64_t, std::uint64_t>& all() const { return ranges_; }  // begin to end

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;
};

// A live block, or a free interval.
struct Piece {
  static constexpr std::uint32_t kFree = UINT32_MAX;
  std::uint64_t bytes = 0;
  std::uint32_t block = kFree;  // index into Facts::blocks
};

struct Segment {
  std::uint64_t address = 0, bytes = 0, allocated_bytes = 0;
  std::vector<Piece> pieces;  // by address, from begin to end without gaps
};

struct SegmentLayout {
  // Blocks cross the boundaries of single mappings: the allocator's segments are expandable.
  bool expandable = false;
  std::vector<Segment> segments;  // by address
};

// At the end of the run. Every block of the run lies within a segment while it is alive. For an allocator
// without segments, such as the CPU's, segments are made from all addresses that blocks ever had; blocks less
// than 1 MiB apart share one.
SegmentLayout segments_at_end(const analysis::MemoryFacts& facts);

}  // namespace strata::exports
