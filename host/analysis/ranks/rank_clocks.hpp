// SPDX-License-Identifier: Apache-2.0
// Brings the times of all ranks onto one clock, that of the first rank, and says how well that is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/machine_clock.hpp"
#include "host/analysis/ranks/averaging.hpp"
#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

// How a clock's times were brought onto the first one.
enum class PlacedBy : std::uint8_t {
  kSelf,        // it is the first
  kWallClocks,  // readings of both clocks together on either machine
  kAveraging,  // the middle of what averaged gradients leave open: no wall clock, or one that they contradict
  kNothing     // no wall clock and no averaging: times of it are not comparable
};
const char* to_string(PlacedBy placed_by);

// A CLOCK_MONOTONIC, and the ranks whose times are of it. Ranks share one when the kernel was booted once for
// both; where that is unknown, when their host's name is the same and so is the distance to the wall clock.
struct JobClock {
  std::string hostname;
  std::vector<std::size_t> ranks;  // indices into the job's
  std::vector<ClockPair> pairs;    // of all of them, by monotonic_ns
  PlacedBy placed_by = PlacedBy::kSelf;
  // By kAveraging: by how much later its wall clock's times are taken.
  std::int64_t correction_ns = 0;
  // How far a time of it may be off against the first clock's, either way; 0 for the first. Nothing where
  // no averaging that hosts wait for bounds it: wall clocks alone, which nobody compared with each other.
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
  // Why steps bound the clocks, or do not.
  Averaging averaging() const { return averaging_; }

 private:
  void group(const std::vector<RankFacts>& ranks);
  void bound_by_steps(const std::vector<RankFacts>& ranks);

  std::vector<JobClock> clocks_;
  std::vector<std::size_t> clock_of_;  // by rank's index
  Averaging averaging_;
};

}  // namespace strata::analysis
