// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/step_parts.hpp"

#include <algorithm>
#include <unordered_map>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/warm_up/quantile.hpp"

namespace strata::analysis {
namespace {

Counts difference(const Counters& from, const Counters& to) {
  const auto less = [](std::int64_t before, std::int64_t after) {
    return std::max(0.0, static_cast<double>(after - before));
  };
  const bool waits_known = from.thread_wait_ns >= 0 && to.thread_wait_ns >= 0;
  return {less(from.thread_cpu_ns, to.thread_cpu_ns),
          waits_known ? less(from.thread_wait_ns, to.thread_wait_ns) : 0.0,
          less(from.thread_minor_faults, to.thread_minor_faults),
          less(from.thread_major_faults, to.thread_major_faults),
          less(from.minor_faults, to.minor_faults),
          less(from.children_cpu_ns, to.children_cpu_ns),
          less(from.libraries, to.libraries),
          less(from.threads, to.threads)};
}

void add(Counts& sum, const Counts& more) {
  for (std::size_t index = 0; index < kCounterCount; ++index) sum[index] += more[index];
}

struct SamplePair {
  const CounterSample* begin = nullptr;
  const CounterSample* end = nullptr;
  // The counters of another thread say nothing about this one.
  bool is_whole() const { return begin != nullptr && end != nullptr && begin->thread == end->thread; }
  Counts counts() const { return difference(begin->counters, end->counters); }
};

class Divider {
 public:
  explicit Divider(const Recording& run) {
    for (const CounterSample& sample : run.warm_up.samples) {
      if (sample.edge == SampleEdge::kPhaseBegin) phases_[sample.phase].begin = &sample;
      if (sample.edge == SampleEdge::kPhaseEnd) phases_[sample.phase].end = &sample;
      if (sample.edge == SampleEdge::kStepBegin) begins_[sample.ns] = &sample;
      if (sample.edge == SampleEdge::kStepEnd) ends_[sample.ns] = &sample;
    }
    for (const PhaseRow& phase : run.phases) {
      if (phase.parent == 0 && phase.step >= 0) phases_of_step_[phase.step].push_back(&phase);
    }
  }

  StepParts divide(const StepFact& step) const {
    StepParts divided{.step = step.index,
                      .begin_ns = step.begin_ns,
                      .end_ns = step.end_ns,
                      .begin_sequence = step.begin_sequence,
                      .end_sequence = step.end_sequence,
                      .thread = 0,
                      .parts = {}};
    const SamplePair edges{find(begins_, step.begin_ns), find(ends_, step.end_ns)};
    if (edges.begin != nullptr) divided.thread = edges.begin->thread;
    Part between{.ns = divided.ns(), .counts = {}, .intervals = {}};
    if (edges.is_whole()) between.counts = edges.counts();
    std::int64_t from_ns = step.begin_ns;
    const auto phases = phases_of_step_.find(step.index);
    if (phases != phases_of_step_.end()) {
      for (const PhaseRow* phase : phases->second) add_phase(*phase, divided, between, from_ns);
    }
    if (from_ns < step.end_ns) between.intervals.push_back({from_ns, step.end_ns});
    between.ns = std::max(between.ns, 0.0);
    divided.parts[{kBetweenPhases, 0}] = std::move(between);
    return divided;
  }

 private:
  using ByTime = std::unordered_map<std::int64_t, const CounterSample*>;

  static const CounterSample* find(const ByTime& samples, std::int64_t ns) {
    const auto found = samples.find(ns);
    return found == samples.end() ? nullptr : found->second;
  }

  void add_phase(const PhaseRow& phase, StepParts& step, Part& between, std::int64_t& from_ns) const {
    const std::int64_t begin = std::clamp(phase.begin_ns, from_ns, step.end_ns);
    const std::int64_t end = std::clamp(phase.end_ns, begin, step.end_ns);
    Part& part = step.parts[{phase.kind, phase.name}];
    const bool is_new = part.intervals.empty();
    part.ns += static_cast<double>(end - begin);
    part.intervals.push_back({begin, end});
    between.ns -= static_cast<double>(end - begin);
    if (from_ns < begin) between.intervals.push_back({from_ns, begin});
    from_ns = end;

    const auto samples = phases_.find(phase.ordinal);
    if (samples == phases_.end() || !samples->second.is_whole() || (!is_new && !part.counts)) {
      part.counts.reset();
      between.counts.reset();
      return;
    }
    const Counts counts = samples->second.counts();
    if (is_new) part.counts.emplace();
    add(*part.counts, counts);
    if (!between.counts) return;
    for (std::size_t index = 0; index < kCounterCount; ++index)
      (*between.counts)[index] = std::max(0.0, (*between.counts)[index] - counts[index]);
  }

  std::unordered_map<std::uint32_t, SamplePair> phases_;
  ByTime begins_, ends_;
  std::unordered_map<std::int64_t, std::vector<const PhaseRow*>> phases_of_step_;
};

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return sorted_quantile(values, 0.5);
}

UsualPart usual_part(const PartKey& key, const std::vector<const StepParts*>& steps) {
  std::vector<double> times;
  std::array<std::vector<double>, kCounterCount> counts;
  for (const StepParts* step : steps) {
    const auto found = step->parts.find(key);
    times.push_back(found == step->parts.end() ? 0.0 : found->second.ns);
    if (found == step->parts.end() || !found->second.counts) continue;
    for (std::size_t index = 0; index < kCounterCount; ++index)
      counts[index].push_back((*found->second.counts)[index]);
  }
  UsualPart part{.ns = middle(std::move(times)), .counts = {}};
  if (counts.front().empty()) return part;
  part.counts.emplace();
  for (std::size_t index = 0; index < kCounterCount; ++index)
    (*part.counts)[index] = middle(std::move(counts[index]));
  return part;
}

}  // namespace

std::vector<StepParts> divide_steps(const std::vector<StepFact>& steps, const Recording& run) {
  const Divider divider(run);
  std::vector<StepParts> divided;
  for (const StepFact& step : steps) {
    if (step.complete) divided.push_back(divider.divide(step));
  }
  return divided;
}

UsualStep usual_step(const std::vector<const StepParts*>& steps) {
  UsualStep usual;
  std::vector<double> times;
  for (const StepParts* step : steps) {
    times.push_back(step->ns());
    for (const auto& [key, part] : step->parts) usual.parts.try_emplace(key);
  }
  usual.ns = middle(std::move(times));
  for (auto& [key, part] : usual.parts) part = usual_part(key, steps);
  return usual;
}

}  // namespace strata::analysis
