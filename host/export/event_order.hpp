// SPDX-License-Identifier: Apache-2.0
// The memory events of a run in order, reconstructed from blocks and segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

struct Event {
  enum class Kind : std::uint8_t { kFree, kSegment, kAllocate };
  Kind kind = Kind::kFree;
  std::size_t index = 0;  // into Facts::blocks; for kSegment into Facts::reserved
};

// Calls `use` for each, by sequence. If one event ends a block and creates another, the end comes first. Uses
// four bytes of memory per freed block.
void for_each_event(const analysis::MemoryFacts& facts, const std::function<void(const Event&)>& use);

// The number of events.
std::uint64_t count_events(const analysis::MemoryFacts& facts);

}  // namespace strata::exports
