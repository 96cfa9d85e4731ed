// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/warm_up/timed_run.hpp"

#include <algorithm>
#include <utility>

#include "host/analysis/analyse.hpp"
#include "host/report/words/warm_up_words.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/tensor.h"

namespace strata::analysis::testing {
namespace {

constexpr std::uint32_t kDriver = 100;

}  // namespace

TimedRun::TimedRun() {
  run_.name = "timed";
  run_.end = analysis::RunEnd::kDone;
  run_.closed = true;
  run_.last_step = UINT64_MAX;
  run_.begin_ns = now_ns_;
  run_.warm_up.is_recorded = true;
  run_.warm_up.page_fault_ns = kFaultNs;
  run_.warm_up.thread_start_ns = kThreadNs;
  counters_.thread_wait_ns = 0;
  sample(SampleEdge::kRunBegin, 0);
}

void TimedRun::sample(SampleEdge edge, std::uint32_t phase) {
  run_.warm_up.samples.push_back(
      {.ns = now_ns_, .thread = kDriver, .edge = edge, .phase = phase, .counters = counters_});
}

void TimedRun::step(std::int64_t index, const Body& body) {
  step_ = index;
  sums_.clear();
  sample(SampleEdge::kStepBegin, 0);
  StepRow row;
  row.step = index;
  row.begin_sequence = ++sequence_;
  row.begin_ns = now_ns_;
  body();
  row.end_sequence = ++sequence_;
  row.end_ns = now_ns_;
  row.loss = 1.0;
  run_.steps.push_back(row);
  sample(SampleEdge::kStepEnd, 0);
  for (const auto& [name, sum] : sums_)
    run_.warm_up.operators.push_back({index, text(name), sum.calls, sum.ns});
  run_.end_ns = now_ns_;
}

void TimedRun::phase(std::uint32_t kind, std::string_view name, const Body& body) {
  PhaseRow row;
  row.ordinal = ++last_phase_;
  row.parent = open_phase_;
  row.kind = kind;
  row.name = text(name);
  row.step = step_;
  row.begin_sequence = ++sequence_;
  row.begin_ns = now_ns_;
  sample(SampleEdge::kPhaseBegin, row.ordinal);
  open_phase_ = row.ordinal;
  body();
  open_phase_ = row.parent;
  row.end_sequence = ++sequence_;
  row.end_ns = now_ns_;
  sample(SampleEdge::kPhaseEnd, row.ordinal);
  run_.phases.push_back(row);
}

void TimedRun::work(std::int64_t ns) {
  counters_.thread_cpu_ns += ns;
  now_ns_ += ns;
}

void TimedRun::idle(std::int64_t ns) {
  now_ns_ += ns;
}

void TimedRun::wait_for_processor(std::int64_t ns) {
  counters_.thread_wait_ns += ns;
  now_ns_ += ns;
}

void TimedRun::fault(std::int64_t faults) {
  counters_.thread_minor_faults += faults;
  counters_.minor_faults += faults;
  work(faults * static_cast<std::int64_t>(kFaultNs));
}

void TimedRun::open_library(std::string_view path) {
  ++counters_.libraries;
  run_.warm_up.libraries.push_back({now_ns_, text(path)});
}

void TimedRun::start_threads(std::int64_t count) {
  counters_.threads += count;
  work(count * static_cast<std::int64_t>(kThreadNs));
}

void TimedRun::run_program(std::int64_t cpu_ns) {
  counters_.children_cpu_ns += cpu_ns;
  idle(cpu_ns);
}

void TimedRun::call(std::string_view name, const Body& body) {
  const Counters before = counters_;
  const std::int64_t begin_ns = now_ns_;
  inner_ns_.push_back(0);
  body();
  const std::int64_t self_ns = now_ns_ - begin_ns - inner_ns_.back();
  inner_ns_.pop_back();
  if (!inner_ns_.empty()) inner_ns_.back() += now_ns_ - begin_ns;
  Sum& sum = sums_[std::string(name)];
  ++sum.calls;
  sum.ns += self_ns;
  if (std::exchange(called_[std::string(name)], true)) return;
  run_.warm_up.calls.push_back({.begin_ns = begin_ns,
                                .end_ns = now_ns_,
                                .self_ns = self_ns,
                                .minor_faults = counters_.thread_minor_faults - before.thread_minor_faults,
                                .libraries = counters_.libraries - before.libraries,
                                .thread = kDriver,
                                .name = text(name),
                                .is_first = true});
}

void TimedRun::activity(std::uint32_t kind, std::uint32_t detail, std::string_view name, const Body& body,
                        std::uint64_t bytes) {
  StartActivity activity{.begin_ns = now_ns_,
                         .end_ns = 0,
                         .bytes = bytes,
                         .thread = kDriver,
                         .kind = kind,
                         .detail = detail,
                         .name = text(name),
                         .is_modelled = false};
  body();
  activity.end_ns = now_ns_;
  auto& activities = run_.warm_up.activities;
  run_.warm_up.longest_activity_ns =
      std::max(run_.warm_up.longest_activity_ns, activity.end_ns - activity.begin_ns);
  activities.push_back(activity);
  std::ranges::stable_sort(activities, {}, &StartActivity::begin_ns);
}

void TimedRun::make_state(std::int64_t tensors) {
  for (std::int64_t tensor = 0; tensor < tensors; ++tensor) {
    TensorRow row;
    row.sequence = ++sequence_;
    row.role = STRATA_TENSOR_OPTIMIZER_STATE;
    run_.tensors.push_back(row);
  }
}

Facts TimedRun::analysed() const {
  Recording run = run_;
  const auto by_begin = [](const PhaseRow& left, const PhaseRow& right) {
    return left.begin_sequence < right.begin_sequence;
  };
  std::ranges::sort(run.phases, by_begin);
  return analyse(std::move(run));
}

double ns_of(const std::vector<CauseShare>& causes, Cause cause) {
  const auto found = std::ranges::find(causes, cause, &CauseShare::cause);
  return found == causes.end() ? 0.0 : found->ns;
}

std::string proof_of(const std::vector<CauseShare>& causes, Cause cause) {
  const auto found = std::ranges::find(causes, cause, &CauseShare::cause);
  return found == causes.end() ? "" : report::proof_text(found->proofs);
}

TimedRun training_with(std::int64_t slow_step, std::string_view slow_phase,
                       const std::function<void(TimedRun&)>& planted) {
  TimedRun run;
  for (std::int64_t step = 0; step < 30; ++step) {
    run.step(step, [&] {
      const auto part = [&](std::uint32_t kind, std::string_view name, std::int64_t ms) {
        run.phase(kind, name, [&] {
          run.work(ms * kMs);
          if (step == slow_step && name == slow_phase) planted(run);
        });
      };
      part(STRATA_PHASE_DATA, "data", 1);
      part(STRATA_PHASE_FORWARD, "forward", 3);
      part(STRATA_PHASE_GRADIENT_SYNC, "gradient_sync", 0);
      part(STRATA_PHASE_BACKWARD, "backward", 4);
      part(STRATA_PHASE_OPTIMIZER, "optimizer", 2);
      if (step == slow_step && slow_phase == "between") planted(run);
    });
  }
  return run;
}

}  // namespace strata::analysis::testing
