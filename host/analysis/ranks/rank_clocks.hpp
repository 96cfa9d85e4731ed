// SPDX-License-Identifier: Apache-2.0
// Brings the times of all ranks onto one clock, that of the first rank, and says how well that is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

// A CLOCK_MONOTONIC, and the ranks whose times are of it. Ranks share one when the kernel was booted once for
// both; where that is unknown, when their host's name is the same and so is the distance to the wall clock.
struct JobClock {
  std::string hostname;
  std::vector<std::size_t> ranks;  // indices into the job's
  std::vector<ClockPair> pairs;    // of all of them, by monotonic_ns
  // Of other clocks than the first: by how much later its wall clock's times are to be taken, so that no rank
  // goes on from a backward before another one has begun its own: their gradients are averaged.
  std::int64_t correction_ns = 0;
  // How far a time of it may be off against the first clock's, either way; 0 for the first. Nothing where
  // only the wall clocks say, which nobody compared with each other.
  std::optional<std::int64_t> uncertainty_ns;
  // At least so far apart the wall clocks were, as the steps show; 0 where they fit.
  std::int64_t wall_clocks_apart_ns = 0;
  bool has_pairs() const { return !pairs.empty(); }
};

class RankClocks {
 public:
  explicit RankClocks(const std::vector<RankFacts>& ranks);

  // The first rank's first.
  const std::vector<JobClock>& clocks() const { return clocks_; }
  std::size_t clock_of(std::size_t rank) const { return clock_of_[rank]; }
  // A moment of that rank (an index into the job's) on the first clock.
  std::int64_t to_first(std::size_t rank, std::int64_t ns) const;

 private:
  void group(const std::vector<RankFacts>& ranks);
  void bound_by_steps(const std::vector<RankFacts>& ranks);

  std::vector<JobClock> clocks_;
  std::vector<std::size_t> clock_of_;  // by rank's index
};

}  // namespace strata::analysis
