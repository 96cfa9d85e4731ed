// SPDX-License-Identifier: Apache-2.0
// A run's measures as values over its events, and their statistics within an interval.
#pragma once

#include <vector>

#include "host/analysis/steps/scopes.hpp"

namespace strata::analysis {

struct MemoryFacts;

// Refers to its facts: for a long run, copies of all lines would take hundreds of megabytes.
class LevelLines {
 public:
  explicit LevelLines(const MemoryFacts& facts);

  // Within [begin, end], at the sequences of events.
  std::array<std::optional<ScopeLevels>, kMeasures> within(std::uint64_t begin_sequence,
                                                           std::uint64_t end_sequence) const;

  // The device's use right after that event; empty if it was never sampled.
  std::optional<std::uint64_t> device_used_at(std::uint64_t sequence) const;

 private:
  struct Level {
    std::uint64_t sequence = 0;
    std::int64_t ns = 0;
    std::uint64_t bytes = 0;
  };
  using Line = std::vector<Level>;  // by sequence

  std::optional<ScopeLevels> resident_within(std::uint64_t begin_sequence, std::uint64_t end_sequence) const;

  const MemoryFacts& facts_;
  Line device_used_;
  Line requested_;       // of a run with deferred frees; otherwise that of the timeline
  Line resident_peaks_;  // the resident peak so far, as known at each sample
};

}  // namespace strata::analysis
