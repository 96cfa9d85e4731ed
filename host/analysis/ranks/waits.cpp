// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/waits.hpp"

#include <algorithm>
#include <map>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

struct WaitingTime {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t within(std::int64_t from_ns, std::int64_t to_ns) const {
    return std::max<std::int64_t>(0, std::min(end_ns, to_ns) - std::max(begin_ns, from_ns));
  }
};

bool averages(const RankStep& step) {
  return step.goes_on_ns > step.last_gradient_ns;
}

// Of each step, when the first rank went on, on the first clock.
std::map<std::int64_t, std::int64_t> first_to_go_on(const std::vector<RankFacts>& ranks,
                                                    const RankClocks& clocks) {
  std::map<std::int64_t, std::int64_t> first;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const RankStep& step : ranks[rank].steps) {
      if (step.goes_on_ns == 0) continue;
      const std::int64_t moment_ns = clocks.to_first(rank, step.goes_on_ns);
      const auto [known, is_new] = first.try_emplace(step.index, moment_ns);
      if (!is_new) known->second = std::min(known->second, moment_ns);
    }
  }
  return first;
}

void set_waits(RankStep& step, const WaitingTime& waiting) {
  step.wait_end_ns = waiting.end_ns;
  step.waited_ns = waiting.within(step.begin_ns, step.end_ns);
  for (RankPhase& phase : step.phases) {
    const bool is_sync = phase.kind == STRATA_PHASE_GRADIENT_SYNC;
    const std::int64_t averaging_ns = waiting.within(phase.begin_ns, phase.end_ns);
    phase.waited_ns = is_sync ? phase.end_ns - phase.begin_ns : averaging_ns;
    step.waited_ns += phase.waited_ns - averaging_ns;
  }
}

}  // namespace

void find_waits(std::vector<RankFacts>& ranks, const RankClocks& clocks) {
  if (ranks.size() < 2 || std::ranges::any_of(ranks, &RankFacts::is_dry)) return;
  const std::map<std::int64_t, std::int64_t> first = first_to_go_on(ranks, clocks);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (RankStep& step : ranks[rank].steps) {
      WaitingTime waiting;
      if (averages(step)) {
        const std::int64_t own_ns = clocks.to_first(rank, step.last_gradient_ns);
        const std::int64_t longest_ns = std::max<std::int64_t>(0, first.at(step.index) - own_ns);
        waiting = {step.last_gradient_ns, std::min(step.goes_on_ns, step.last_gradient_ns + longest_ns)};
      }
      set_waits(step, waiting);
    }
  }
}

}  // namespace strata::analysis
