// SPDX-License-Identifier: Apache-2.0
// What the allocator of one device held at a moment: its segments, and the blocks in them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/snapshot/model/snapshot.hpp"

namespace strata::snapshot {

struct HeldBlock {
  std::uint64_t bytes = 0;            // the whole block
  std::uint64_t requested_bytes = 0;  // 0: not recorded
  std::uint64_t stream = 0;
  std::uint32_t stack = kNone;
  std::uint32_t note = 0;
  bool awaits_free = false;  // freed, and still in use by another stream
  bool is_final = false;     // of the snapshot's own list
};

struct HeldSegment {
  std::uint64_t end = 0;
  std::uint64_t stream = 0, pool = 0;
  bool is_expandable = false;
  bool is_final = false;
};

using Blocks = std::map<std::uint64_t, HeldBlock>;      // by address
using Segments = std::map<std::uint64_t, HeldSegment>;  // by address, disjoint

// The segment around the address; `segments.end()` if there is none.
Segments::const_iterator segment_at(const Segments& segments, std::uint64_t address);

// Removes [begin, end); returns what was there. Segments that reach beyond keep their rest.
std::vector<std::pair<std::uint64_t, HeldSegment>> cut(Segments& segments, std::uint64_t begin,
                                                       std::uint64_t end);

// Removes the blocks that overlap [begin, end); returns them.
std::vector<std::pair<std::uint64_t, HeldBlock>> cut(Blocks& blocks, std::uint64_t begin, std::uint64_t end);

}  // namespace strata::snapshot
