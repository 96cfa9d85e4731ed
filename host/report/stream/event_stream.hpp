// SPDX-License-Identifier: Apache-2.0
// A run's allocations and frees in chronological order: the basis for counting, drawing and searching on the
// page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/forward.hpp"

namespace strata::report {

inline constexpr std::uint32_t kJoinedBlocks = UINT32_MAX;

struct StreamAllocation {
  std::uint64_t bytes = 0;
  std::uint32_t block = kJoinedBlocks;  // index into Facts::blocks; kJoinedBlocks: see EventStream
  analysis::Category category = analysis::Category::kUnknown;
};

struct StreamEvent {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;           // monotonic
  std::uint32_t allocation = 0;  // index into EventStream::allocations
  bool frees = false;
};

// States lie between events: state 0 is before the first event, state n after n events.
//
// All events are included, unless there are too many. Then only those in [exact_begin, exact_end), around the
// peak, are listed individually, with every block alive in between. The rest is divided into columns, each
// represented by its largest moment: other memory alive then is one joined allocation per category, which
// lasts until the end of the column.
struct EventStream {
  std::vector<StreamEvent> events;
  std::vector<StreamAllocation> allocations;  // by the event that makes them
  std::size_t exact_begin = 0, exact_end = 0;
  std::uint64_t recorded_events = 0;  // of the run

  bool is_exact() const { return exact_begin == 0 && exact_end == events.size(); }
  // The state after all events before that sequence number.
  std::size_t state_before(std::uint64_t sequence) const;
  // The state after all events up to and including it.
  std::size_t state_after(std::uint64_t sequence) const;
};

struct StreamLimits {
  std::size_t events = 3'000'000;       // listed individually
  std::size_t joined_columns = 20'000;  // for a run with more events
};

EventStream event_stream(const analysis::MemoryFacts& facts, const StreamLimits& limits = {});

}  // namespace strata::report
