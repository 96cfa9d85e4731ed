// SPDX-License-Identifier: Apache-2.0
// The step and phase of a point in time. Like OpenPhases, but by the clock: rows of times have no sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/time_spans.hpp"
#include "host/analysis/time/intervals.hpp"

namespace strata::analysis {

struct Recording;

class StepMoments {
 public:
  using Index = std::uint32_t;

  // A range that never ended is open until the run's end. `run` must outlive this.
  explicit StepMoments(const Recording& run);

  // Indices into the recording's phases and steps.
  std::optional<Index> phase_at(std::int64_t ns) const;
  std::optional<Index> step_at(std::int64_t ns) const;
  std::optional<Index> phase_of_ordinal(std::uint32_t ordinal) const;
  // The phase that encloses this one.
  std::optional<Index> around(Index phase) const;

  Interval phase(Index phase) const;
  Interval step(Index step) const;

 private:
  static constexpr Index kNone = UINT32_MAX;
  // From `begin_ns` until the next one.
  struct Change {
    std::int64_t begin_ns;
    Index innermost;
  };

  const Recording& run_;
  std::vector<Index> around_;
  std::vector<Change> changes_;
};

}  // namespace strata::analysis
