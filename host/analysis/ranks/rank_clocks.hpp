// SPDX-License-Identifier: Apache-2.0
// Converts the times of all ranks to the clock of the first rank, and gives the uncertainty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/machine_clock.hpp"
#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

// How a clock was related to the first one.
enum class PlacedBy : std::uint8_t {
  kSelf,        // it is the first one
  kWallClocks,  // from readings of both clocks together on each machine
  kAveraging,   // middle of the range allowed by averaged gradients: no wall clock, or a contradictory one
  kNothing      // no wall clock and no averaging: its times are not comparable
};
const char* to_string(PlacedBy placed_by);

// Whether steps reveal the relation of clocks: a rank whose host waits until all gradients are averaged
// cannot continue before the others have begun the backward that produces theirs.
enum class Averaging : std::uint8_t {
  kOnHosts,    // all ranks average with all others, and each host waits for it
  kOnDevices,  // hosts start it on their devices and continue at once
  kNotShown    // not all ranks average with all: stages of a pipeline, or ranks of a dry job
};

// A CLOCK_MONOTONIC, and the ranks that use it. Ranks share one if they have the same boot of the kernel; if
// unknown, if they have the same host name and the same offset to the wall clock.
struct JobClock {
  std::string hostname;
  std::vector<std::size_t> ranks;  // indices into the job's
  std::vector<ClockPair> pairs;    // of all these ranks, by monotonic_ns
  PlacedBy placed_by = PlacedBy::kSelf;
  // For kAveraging: the correction added to its wall clock's times.
  std::int64_t correction_ns = 0;
  // How far a time on it may be off from the first clock, either way; 0 for the first. Empty if no averaging
  // with waiting hosts bounds it: then there are only wall clocks, which were never compared.
  std::optional<std::int64_t> uncertainty_ns;
  // The minimum difference of the wall clocks shown by the steps; 0 if they agree.
  std::int64_t wall_clocks_apart_ns = 0;
  bool has_pairs() const { return !pairs.empty(); }
};

class RankClocks {
 public:
  explicit RankClocks(const std::vector<RankFacts>& ranks);

  // The first rank's clock first.
  const std::vector<JobClock>& clocks() const { return clocks_; }
  std::size_t clock_of(std::size_t rank) const { return clock_of_[rank]; }
  // Converts a time of that rank (an index into the job's) to the first clock.
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
