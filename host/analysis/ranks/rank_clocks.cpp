// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/rank_clocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// Two boots are further apart, and no wall clock is set by so much while a job runs.
constexpr std::int64_t kSameClockNs = 1'000'000'000;

std::int64_t realtime_less_monotonic(const ClockPair& pair) {
  return pair.realtime_ns - pair.monotonic_ns;
}

// The wall clock at a moment: interpolated between two readings, and outside of them with the offset of the
// nearest.
std::int64_t wall_less_monotonic(const std::vector<ClockPair>& pairs, std::int64_t monotonic_ns) {
  const auto after = std::ranges::lower_bound(pairs, monotonic_ns, {}, &ClockPair::monotonic_ns);
  if (after == pairs.begin()) return realtime_less_monotonic(pairs.front());
  if (after == pairs.end()) return realtime_less_monotonic(pairs.back());
  const ClockPair& before = *std::prev(after);
  const double part = static_cast<double>(monotonic_ns - before.monotonic_ns) /
                      static_cast<double>(after->monotonic_ns - before.monotonic_ns);
  const std::int64_t first = realtime_less_monotonic(before);
  const auto change = static_cast<double>(realtime_less_monotonic(*after) - first);
  return first + static_cast<std::int64_t>(change * part);
}

// The same of a moment on the wall clock.
std::int64_t wall_less_monotonic_at_wall(const std::vector<ClockPair>& pairs, std::int64_t realtime_ns) {
  const std::int64_t guess = realtime_ns - realtime_less_monotonic(pairs.front());
  return wall_less_monotonic(pairs, realtime_ns - wall_less_monotonic(pairs, guess));
}

bool share_clock(const MachineClock& left, const MachineClock& right) {
  const bool has_pairs = !left.pairs.empty() && !right.pairs.empty();
  const bool walls_fit = has_pairs && std::abs(realtime_less_monotonic(left.pairs.front()) -
                                               realtime_less_monotonic(right.pairs.front())) < kSameClockNs;
  if (left.boot_id.empty() || right.boot_id.empty())
    return left.hostname == right.hostname && (walls_fit || !has_pairs);
  // A container may have a clock of its own.
  return left.boot_id == right.boot_id && (walls_fit || !has_pairs);
}

// If hosts wait for the averaging, no rank continues before all gradients are averaged, which is not before
// all ranks have begun the backward that computes them.
struct AveragedStep {
  std::int64_t last_begin_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_goes_on_ns = std::numeric_limits<std::int64_t>::max();
};

const RankPhase* last_backward(const RankStep& step) {
  const auto found = std::find_if(step.phases.rbegin(), step.phases.rend(),
                                  [](const RankPhase& phase) { return phase.kind == STRATA_PHASE_BACKWARD; });
  return found == step.phases.rend() ? nullptr : &*found;
}

// Between these, a correction has every rank go on after all have begun.
struct Bounds {
  std::int64_t low_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t high_ns = std::numeric_limits<std::int64_t>::max();
  std::size_t steps = 0;
};

Bounds bounds_between(const std::map<std::int64_t, AveragedStep>& first,
                      const std::map<std::int64_t, AveragedStep>& other) {
  Bounds bounds;
  for (const auto& [step, span] : first) {
    const auto found = other.find(step);
    if (found == other.end()) continue;
    bounds.low_ns = std::max(bounds.low_ns, span.last_begin_ns - found->second.first_goes_on_ns);
    bounds.high_ns = std::min(bounds.high_ns, span.first_goes_on_ns - found->second.last_begin_ns);
    ++bounds.steps;
  }
  return bounds;
}

// On the CPU, DistributedDataParallel's backward ends when all its buckets are averaged, because the host
// waits for gloo. Stores do not record with which ranks. So all ranks of the job are assumed only if every
// rank is present, all have buckets of the same sizes, and the same operators made blocks in their backwards.
// In a pipeline only the last stage has the loss, so at least one stage differs.
Averaging averaging_of(const std::vector<RankFacts>& ranks) {
  if (ranks.empty() || std::ranges::any_of(ranks, &RankFacts::is_dry)) return Averaging::kNotShown;
  if (std::ranges::any_of(ranks, [](const RankFacts& rank) { return rank.device != "cpu"; }))
    return Averaging::kOnDevices;
  const RankFacts& first = ranks.front();
  const bool is_alike = std::ranges::all_of(ranks, [&](const RankFacts& rank) {
    return rank.world_size == ranks.size() && rank.bucket_bytes == first.bucket_bytes &&
           rank.backward_operators == first.backward_operators;
  });
  return is_alike && !first.bucket_bytes.empty() ? Averaging::kOnHosts : Averaging::kNotShown;
}

}  // namespace

const char* to_string(PlacedBy placed_by) {
  constexpr std::array kNames{"self", "wall_clocks", "averaging", "nothing"};
  return kNames.at(static_cast<std::size_t>(placed_by));
}

RankClocks::RankClocks(const std::vector<RankFacts>& ranks) : averaging_(averaging_of(ranks)) {
  group(ranks);
  if (clocks_.size() > 1 && averaging_ == Averaging::kOnHosts) bound_by_steps(ranks);
}

void RankClocks::group(const std::vector<RankFacts>& ranks) {
  std::vector<std::size_t> representative;  // of each clock a rank
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto known = std::ranges::find_if(representative, [&](std::size_t other) {
      return other == rank || share_clock(ranks[other].clock, ranks[rank].clock);
    });
    const auto clock = static_cast<std::size_t>(known - representative.begin());
    if (known == representative.end()) {
      representative.push_back(rank);
      clocks_.emplace_back().hostname = ranks[rank].clock.hostname;
    }
    clocks_[clock].ranks.push_back(rank);
    std::ranges::copy(ranks[rank].clock.pairs, std::back_inserter(clocks_[clock].pairs));
    clock_of_.push_back(clock);
  }
  for (JobClock& clock : clocks_) {
    std::ranges::stable_sort(clock.pairs, {}, &ClockPair::monotonic_ns);
    const auto repeated = std::unique(
        clock.pairs.begin(), clock.pairs.end(),
        [](const ClockPair& one, const ClockPair& next) { return one.monotonic_ns == next.monotonic_ns; });
    clock.pairs.erase(repeated, clock.pairs.end());
  }
  for (JobClock& clock : clocks_)
    clock.placed_by =
        clock.has_pairs() && clocks_.front().has_pairs() ? PlacedBy::kWallClocks : PlacedBy::kNothing;
  if (clocks_.empty()) return;
  clocks_.front().placed_by = PlacedBy::kSelf;
  clocks_.front().uncertainty_ns = 0;
}

void RankClocks::bound_by_steps(const std::vector<RankFacts>& ranks) {
  std::vector<std::map<std::int64_t, AveragedStep>> spans(clocks_.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const RankStep& step : ranks[rank].steps) {
      const RankPhase* const backward = last_backward(step);
      if (backward == nullptr || !step.backward_end) continue;
      AveragedStep& span = spans[clock_of_[rank]][step.index];
      span.last_begin_ns = std::max(span.last_begin_ns, to_first(rank, backward->begin_ns));
      span.first_goes_on_ns = std::min(span.first_goes_on_ns, to_first(rank, step.backward_end->goes_on_ns));
    }
  }
  for (std::size_t other = 1; other < clocks_.size(); ++other) {
    const Bounds bounds = bounds_between(spans.front(), spans[other]);
    // If no correction fits, the ranks do not wait for each other.
    if (bounds.steps == 0 || bounds.low_ns > bounds.high_ns) continue;
    JobClock& clock = clocks_[other];
    if (bounds.low_ns <= 0 && bounds.high_ns >= 0 && clock.placed_by == PlacedBy::kWallClocks) {
      clock.uncertainty_ns = std::max(-bounds.low_ns, bounds.high_ns);
      continue;
    }
    clock.wall_clocks_apart_ns = clock.placed_by == PlacedBy::kWallClocks
                                     ? std::min(std::abs(bounds.low_ns), std::abs(bounds.high_ns))
                                     : 0;
    clock.placed_by = PlacedBy::kAveraging;
    clock.correction_ns = bounds.low_ns + (bounds.high_ns - bounds.low_ns) / 2;
    clock.uncertainty_ns = (bounds.high_ns - bounds.low_ns) / 2 + 1;
  }
}

std::int64_t RankClocks::to_first(std::size_t rank, std::int64_t ns) const {
  const std::size_t index = clock_of_[rank];
  if (index == 0) return ns;
  const JobClock& clock = clocks_[index];
  const JobClock& first = clocks_.front();
  if (!clock.has_pairs() || !first.has_pairs()) return ns + clock.correction_ns;
  const std::int64_t wall_ns = ns + wall_less_monotonic(clock.pairs, ns);
  return wall_ns - wall_less_monotonic_at_wall(first.pairs, wall_ns) + clock.correction_ns;
}

}  // namespace strata::analysis
