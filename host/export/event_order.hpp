// SPDX-License-Identifier: Apache-2.0
// The memory events of a run, one after the other, out of blocks and segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

struct Event {
  enum class Kind : std::uint8_t { kFree, kSegment, kAllocate };
  Kind kind = Kind::kFree;
  std::size_t index = 0;  // into Facts::blocks; of kSegment into Facts::reserved
};

// Calls `use` for each, by sequence. Where one event ends a block and makes another, the end comes first.
// Holds four bytes a block that died.
void for_each_event(const analysis::MemoryFacts& facts, const std::function<void(const Event&)>& use);

// How many there are.
std::uint64_t count_events(const analysis::MemoryFacts& facts);

}  // namespace strata::exports
