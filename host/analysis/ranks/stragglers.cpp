// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/stragglers.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace strata::analysis {
namespace {

std::int64_t lower_median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// For one step of one rank, by phase name; the empty name is the time outside of phases.
using PhaseTimes = std::map<std::string_view, std::int64_t>;

PhaseTimes own_times(const RankFacts& rank, const RankStep& step) {
  PhaseTimes times;
  std::int64_t outside_ns = step.duration_ns(), outside_waits_ns = step.waited_ns;
  for (const RankPhase& phase : step.phases) {
    const std::int64_t length_ns = phase.end_ns - phase.begin_ns;
    times[rank.names[phase.name]] += length_ns - phase.waited_ns;
    outside_ns -= length_ns;
    outside_waits_ns -= phase.waited_ns;
  }
  outside_ns -= outside_waits_ns;
  times[""] = std::max<std::int64_t>(0, outside_ns);
  return times;
}

// The ranks that completed a step.
struct StepOfRanks {
  std::vector<std::size_t> ranks;
  std::vector<const RankStep*> steps;
};

std::map<std::int64_t, StepOfRanks> by_step(const std::vector<RankFacts>& ranks) {
  std::map<std::int64_t, StepOfRanks> steps;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const RankStep& step : ranks[rank].steps) {
      steps[step.index].ranks.push_back(rank);
      steps[step.index].steps.push_back(&step);
    }
  }
  std::erase_if(steps, [](const auto& step) { return step.second.ranks.size() < 2; });
  return steps;
}

std::int64_t own_time(const RankStep& step) {
  return step.duration_ns() - step.waited_ns;
}

// Against the median over the ranks, phase by phase.
PhaseTimes excess_by_phase(const std::vector<RankFacts>& ranks, const StepOfRanks& step,
                           std::size_t straggler) {
  std::map<std::string_view, std::vector<std::int64_t>> times;
  PhaseTimes own;
  for (std::size_t each = 0; each < step.ranks.size(); ++each) {
    const PhaseTimes of_rank = own_times(ranks[step.ranks[each]], *step.steps[each]);
    for (const auto& [name, ns] : of_rank) times[name].push_back(ns);
    if (step.ranks[each] == straggler) own = of_rank;
  }
  for (auto& [name, ns] : own) {
    std::vector<std::int64_t>& of_all = times[name];
    of_all.resize(step.ranks.size());  // a rank without that phase took no time for it
    ns -= lower_median(of_all);
  }
  return own;
}

Straggler straggler_of(const std::vector<RankFacts>& ranks, const std::map<std::int64_t, StepOfRanks>& steps,
                       const std::vector<const StepComparison*>& slow, std::size_t rank) {
  Straggler straggler{.rank = rank, .steps = {}, .phases = {}};
  std::vector<std::int64_t> excess;
  PhaseTimes phases;
  for (const StepComparison* comparison : slow) {
    straggler.steps.push_back(comparison->index);
    excess.push_back(comparison->excess_ns[rank]);
    straggler.total_ns += excess.back();
    for (const auto& [name, ns] : excess_by_phase(ranks, steps.at(comparison->index), rank))
      phases[name] += ns;
  }
  straggler.median_ns = lower_median(excess);
  for (const auto& [name, ns] : phases) {
    if (ns > 0) straggler.phases.push_back({std::string(name), ns});
  }
  std::ranges::stable_sort(straggler.phases, std::ranges::greater{}, &SlowPhase::total_ns);
  return straggler;
}

}  // namespace

Stragglers find_stragglers(const std::vector<RankFacts>& ranks) {
  Stragglers found;
  const std::map<std::int64_t, StepOfRanks> steps = by_step(ranks);
  std::vector<std::int64_t> medians_ns;
  for (const auto& [index, step] : steps) {
    std::vector<std::int64_t> own, durations;
    for (const RankStep* each : step.steps) {
      own.push_back(own_time(*each));
      durations.push_back(each->duration_ns());
    }
    const std::int64_t median = lower_median(own);
    StepComparison comparison{
        .index = index, .excess_ns = std::vector<std::int64_t>(ranks.size()), .slowest = step.ranks.front()};
    for (std::size_t each = 0; each < own.size(); ++each) {
      comparison.excess_ns[step.ranks[each]] = own[each] - median;
      if (comparison.excess_ns[step.ranks[each]] > comparison.excess_ns[comparison.slowest])
        comparison.slowest = step.ranks[each];
    }
    medians_ns.push_back(lower_median(durations));
    found.steps.push_back(std::move(comparison));
  }
  std::map<std::size_t, std::vector<const StepComparison*>> slow;
  for (std::size_t step = 0; step < found.steps.size(); ++step) {
    const StepComparison& comparison = found.steps[step];
    const std::int64_t excess = comparison.excess_ns[comparison.slowest];
    if (excess > kSlowNs && static_cast<double>(excess) > kSlowShare * static_cast<double>(medians_ns[step]))
      slow[comparison.slowest].push_back(&comparison);
  }
  for (const auto& [rank, comparisons] : slow)
    found.ranks.push_back(straggler_of(ranks, steps, comparisons, rank));
  std::ranges::stable_sort(found.ranks, std::ranges::greater{}, &Straggler::total_ns);
  for (const RankFacts& rank : ranks) {
    std::vector<std::int64_t> waits;
    for (const RankStep& step : rank.steps) waits.push_back(step.waited_ns);
    found.waits_ns.push_back(lower_median(waits));
  }
  return found;
}

}  // namespace strata::analysis
