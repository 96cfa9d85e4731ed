// SPDX-License-Identifier: Apache-2.0
// A run's allocations and frees in the order in which they happened: what the page counts, draws and
// searches.
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
  std::int64_t ns = 0;           // never less than that of the event before
  std::uint32_t allocation = 0;  // index into EventStream::allocations
  bool frees = false;
};

// Between events lie the states: state 0 is before all of them, state n is what n events left.
//
// Every event is there, until there are too many: then only those of [exact_begin, exact_end), around the
// peak, stand one by one, with every block that is alive in between. The rest is cut into columns, each held
// as its largest moment: what else was alive then is one joined allocation for each category, until the
// column ends.
struct EventStream {
  std::vector<StreamEvent> events;
  std::vector<StreamAllocation> allocations;  // by the event that makes them
  std::size_t exact_begin = 0, exact_end = 0;
  std::uint64_t recorded_events = 0;  // of the run

  bool is_exact() const { return exact_begin == 0 && exact_end == events.size(); }
  // What all events before that sequence number left.
  std::size_t state_before(std::uint64_t sequence) const;
  // What all events up to it and with it left.
  std::size_t state_after(std::uint64_t sequence) const;
};

struct StreamLimits {
  std::size_t events = 3'000'000;       // one by one
  std::size_t joined_columns = 20'000;  // of a run with more
};

EventStream event_stream(const analysis::MemoryFacts& facts, const StreamLimits& limits = {});

}  // namespace strata::report
