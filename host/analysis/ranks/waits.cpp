// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/waits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

std::int64_t part_within(const std::optional<Interval>& wait, std::int64_t from_ns, std::int64_t to_ns) {
  if (!wait) return 0;
  return std::max<std::int64_t>(0, std::min(wait->end_ns, to_ns) - std::max(wait->begin_ns, from_ns));
}

// For one step, by the job's clocks: when the first rank on each clock continued, on that clock.
using FirstToGoOn = std::map<std::size_t, std::int64_t>;

std::map<std::int64_t, FirstToGoOn> first_to_go_on(const std::vector<RankFacts>& ranks,
                                                   const RankClocks& clocks) {
  std::map<std::int64_t, FirstToGoOn> first;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const RankStep& step : ranks[rank].steps) {
      if (!step.backward_end) continue;
      const std::int64_t moment_ns = step.backward_end->goes_on_ns;
      const auto [known, is_new] = first[step.index].try_emplace(clocks.clock_of(rank), moment_ns);
      if (!is_new) known->second = std::min(known->second, moment_ns);
    }
  }
  return first;
}

// The maximum time that a rank may have waited after `last_gradient_ns`. Then all gradients are certainly
// averaged, because a rank on its own clock has continued, or one on another clock has even if that clock is
// off by its full uncertainty. A clock with unlimited uncertainty says nothing.
std::int64_t longest_wait(std::size_t rank, std::int64_t last_gradient_ns, const FirstToGoOn& first,
                          const RankClocks& clocks) {
  const std::size_t own = clocks.clock_of(rank);
  std::int64_t longest_ns = first.at(own) - last_gradient_ns;
  const auto own_uncertainty_ns = clocks.clocks()[own].uncertainty_ns;
  for (const auto& [clock, moment_ns] : first) {
    const JobClock& other = clocks.clocks()[clock];
    if (clock == own || !own_uncertainty_ns || !other.uncertainty_ns) continue;
    const std::int64_t apart_ns =
        clocks.to_first(other.ranks.front(), moment_ns) - clocks.to_first(rank, last_gradient_ns);
    longest_ns = std::min(longest_ns, apart_ns + *own_uncertainty_ns + *other.uncertainty_ns);
  }
  return std::max<std::int64_t>(0, longest_ns);
}

// From the rank's last gradient, at most until it continues itself.
std::optional<Interval> wait_after(const BackwardEnd& end, std::int64_t longest_ns) {
  const Interval wait{end.last_gradient_ns, std::min(end.goes_on_ns, end.last_gradient_ns + longest_ns)};
  return wait.end_ns > wait.begin_ns ? std::optional(wait) : std::nullopt;
}

void set_waits(RankStep& step) {
  step.waited_ns = part_within(step.wait, step.begin_ns, step.end_ns);
  for (RankPhase& phase : step.phases) {
    const bool is_sync = phase.kind == STRATA_PHASE_GRADIENT_SYNC;
    const std::int64_t averaging_ns = part_within(step.wait, phase.begin_ns, phase.end_ns);
    phase.waited_ns = is_sync ? phase.end_ns - phase.begin_ns : averaging_ns;
    step.waited_ns += phase.waited_ns - averaging_ns;
  }
}

}  // namespace

void find_waits(std::vector<RankFacts>& ranks, const RankClocks& clocks) {
  if (ranks.size() < 2 || std::ranges::any_of(ranks, &RankFacts::is_dry)) return;
  const std::map<std::int64_t, FirstToGoOn> first = first_to_go_on(ranks, clocks);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (RankStep& step : ranks[rank].steps) {
      if (const auto& end = step.backward_end)
        step.wait = wait_after(*end, longest_wait(rank, end->last_gradient_ns, first.at(step.index), clocks));
      set_waits(step);
    }
  }
}

}  // namespace strata::analysis
