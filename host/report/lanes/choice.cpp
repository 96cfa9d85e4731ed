// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "host/report/lanes/lanes.hpp"

namespace strata::report {
namespace {

struct Candidate {
  std::uint32_t lane, index;  // of a interval in it
  std::int64_t distance_ns;   // from the moment; 0 where it holds it
  std::int64_t length_ns;
};

std::int64_t distance_of(const LaneInterval& interval, std::int64_t moment_ns) {
  return std::max<std::int64_t>({0, interval.begin_ns - moment_ns, moment_ns - interval.end_ns});
}

std::vector<Candidate> candidates_of(const Lanes& lanes, std::int64_t moment_ns) {
  std::vector<Candidate> candidates;
  for (std::uint32_t lane = 0; lane < lanes.lanes.size(); ++lane) {
    const auto& intervals = lanes.lanes[lane].intervals;
    for (std::uint32_t index = 0; index < intervals.size(); ++index)
      candidates.push_back({lane, index, distance_of(intervals[index], moment_ns),
                            intervals[index].end_ns - intervals[index].begin_ns});
  }
  return candidates;
}

// Among equal ones the earlier come first, so an enclosing one is chosen before those inside it.
auto by_distance(const Candidate& one) {
  return std::tuple(one.distance_ns, -one.length_ns, one.lane, one.index);
}
auto by_length(const Candidate& one) {
  return std::tuple(-one.length_ns, one.lane, one.index);
}

}  // namespace

void choose_intervals(Lanes& lanes, std::int64_t moment_ns, std::size_t most) {
  std::vector<Candidate> candidates = candidates_of(lanes, moment_ns);
  if (candidates.size() <= most || most == 0) return;
  const auto near = candidates.begin() + static_cast<std::ptrdiff_t>(most / 2);
  const auto chosen = candidates.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(candidates, near, {}, by_distance);
  lanes.whole_begin_ns = moment_ns - near->distance_ns;
  lanes.whole_end_ns = moment_ns + near->distance_ns;
  std::ranges::nth_element(near, chosen, candidates.end(), {}, by_length);
  // One that is as long as the longest of those left out may be left out itself.
  lanes.least_ns = chosen->length_ns + 1;

  std::vector<std::vector<bool>> is_kept(lanes.lanes.size());
  for (std::size_t lane = 0; lane < is_kept.size(); ++lane)
    is_kept[lane].resize(lanes.lanes[lane].intervals.size());
  for (auto candidate = candidates.begin(); candidate != chosen; ++candidate)
    is_kept[candidate->lane][candidate->index] = true;
  for (std::size_t lane = 0; lane < is_kept.size(); ++lane) {
    auto& intervals = lanes.lanes[lane].intervals;
    std::vector<LaneInterval> kept;
    for (std::size_t index = 0; index < intervals.size(); ++index)
      if (is_kept[lane][index]) kept.push_back(intervals[index]);
    intervals = std::move(kept);
  }
}

}  // namespace strata::report
