// Our running total against an independent count: what c10's own memory reporting said of the same events
// (runs recorded with `trace.cross_check: true`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts.hpp"
#include "host/analysis/recording.hpp"

namespace strata::analysis {

struct CrossCheckMismatch {
  std::uint64_t sequence = 0;
  std::uint64_t allocated_bytes = 0;  // by us, the sum over all categories
  std::uint64_t reported_bytes = 0;   // by c10
};

struct CrossCheck {
  std::uint64_t events = 0;                 // of the timeline
  std::uint64_t events_compared = 0;        // those that c10 reported too
  std::uint64_t reports_without_event = 0;  // what c10 reported and we did not see
  std::uint64_t mismatches = 0;
  std::optional<CrossCheckMismatch> first_mismatch;

  // Every event was compared, and every sum was equal.
  bool holds() const {
    return events > 0 && events_compared == events && reports_without_event == 0 && mismatches == 0;
  }
};

// `points` is the timeline of `run`.
CrossCheck cross_check(const Recording& run, const std::vector<Point>& points);

}  // namespace strata::analysis
