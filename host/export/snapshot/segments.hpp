// SPDX-License-Identifier: Apache-2.0
// The segments that an allocator holds at the end of a run, and what fills them, as a snapshot shows them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

// Intervals of addresses that do not overlap. Those that touch stay apart.
class Ranges {
 public:
  // [begin, end); what was there of it before is replaced.
  void add(std::uint64_t begin, std::uint64_t end);
  void remove(std::uint64_t begin, std::uint64_t end);
  // Makes one of [begin, end) and of all that lies at most `gap` away from it.
  void merge(std::uint64_t begin, std::uint64_t end, std::uint64_t gap);

  // Whether one range holds all of [begin, end), or several that touch.
  enum class Held { kNot, kByOne, kBySeveral };
  Held held(std::uint64_t begin, std::uint64_t end) const;

  const std::map<std::uint64_t, std::uint64_t>& all() const { return ranges_; }  // begin to end

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;
};

// A block that is alive, or a free interval.
struct Piece {
  static constexpr std::uint32_t kFree = UINT32_MAX;
  std::uint64_t bytes = 0;
  std::uint32_t block = kFree;  // index into Facts::blocks
};

struct Segment {
  std::uint64_t address = 0, bytes = 0, allocated_bytes = 0;
  std::vector<Piece> pieces;  // by address, from its begin to its end without a gap
};

struct SegmentLayout {
  // Blocks reach over the border of what was mapped in one event: the allocator's segments are expandable.
  bool expandable = false;
  std::vector<Segment> segments;  // by address
};

// At the end of the run. Every block of the run lies, while it is alive, within a segment: those of an
// allocator without segments, such as the CPU's, are made up of the addresses that blocks ever had; what lies
// less than 1 MiB apart is one.
SegmentLayout segments_at_end(const analysis::MemoryFacts& facts);

}  // namespace strata::exports
