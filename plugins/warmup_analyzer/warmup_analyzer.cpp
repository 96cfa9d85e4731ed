// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/warmup_analyzer.hpp"

#include "plugins/warmup_analyzer/unit_costs.hpp"

namespace strata::warmup_analyzer {
namespace {

constexpr std::uint64_t kSeldom = 16;

}  // namespace

WarmupAnalyzer::WarmupAnalyzer(const Host& host)
    : samples_(sample_table(host)),
      costs_(cost_table(host)),
      libraries_(library_table(host)),
      calls_(call_table(host), operator_table(host)),
      activities_(activity_table(host)),
      steps_(static_cast<std::uint64_t>(host.integer("steps"))) {}

void WarmupAnalyzer::begin_run(const strata_when& when, const strata_run_info&) {
  measure_costs();
  libraries_.begin();
  sample(when, Edge::kRunBegin);
}

void WarmupAnalyzer::measure_costs() {
  const auto write = [&](const char* what, const UnitCost& cost) {
    if (cost.count == 0) return;
    costs_.append({.ns = cost.ns, .count = cost.count, .what = costs_.intern(what), .reserved = 0});
  };
  write("page_fault", page_fault_cost());
  write("thread_start", thread_start_cost());
}

void WarmupAnalyzer::ready(const strata_when& when) {
  sample(when, Edge::kRunReady);
}

void WarmupAnalyzer::begin_step(const strata_when& when, const strata_step_info&) {
  looks_at_phases_ = steps_seen_ < steps_ || steps_seen_ % kSeldom == 0;
  if (steps_with_operators_ < steps_) calls_.begin_step();
  sample(when, Edge::kStepBegin);
}

void WarmupAnalyzer::end_step(const strata_when& when, const strata_step_info& step,
                              const strata_step_result&) {
  sample(when, Edge::kStepEnd);
  ++steps_seen_;
  if (steps_with_operators_ == steps_ || !calls_.finish_step(step.index)) return;
  if (++steps_with_operators_ == steps_) calls_.look(false);
}

void WarmupAnalyzer::begin_phase(const strata_when& when, const strata_phase_info& phase) {
  if (looks_at_phases_) sample(when, Edge::kPhaseBegin, phase.ordinal);
}

void WarmupAnalyzer::end_phase(const strata_when& when, const strata_phase_info& phase) {
  if (looks_at_phases_) sample(when, Edge::kPhaseEnd, phase.ordinal);
}

std::uint64_t WarmupAnalyzer::begin_op(const strata_when& when, const strata_op_info& op) noexcept {
  return calls_.begin(when, op);
}

void WarmupAnalyzer::end_op(const strata_when& when, const strata_op_info& op, std::uint64_t token) noexcept {
  calls_.end(when, op, token);
}

void WarmupAnalyzer::on_activity(const strata_when& when,
                                 const strata_activity_event& activity) const noexcept {
  activities_.note(when, activity);
}

void WarmupAnalyzer::sample(const strata_when& when, Edge edge, std::uint32_t phase) {
  SampleRow row = with_counters({.sequence = when.sequence,
                                 .monotonic_ns = when.monotonic_ns,
                                 .thread = when.thread,
                                 .edge = static_cast<std::uint32_t>(edge),
                                 .phase = phase,
                                 .threads = 0,
                                 .thread_cpu_ns = 0,
                                 .thread_wait_ns = -1,
                                 .thread_minor_faults = 0,
                                 .thread_major_faults = 0,
                                 .minor_faults = 0,
                                 .major_faults = 0,
                                 .involuntary_switches = 0,
                                 .children_cpu_ns = 0,
                                 .libraries = libraries_mapped()},
                                wait_);
  libraries_.note_new(when, row.libraries);
  samples_.append(row);
}

}  // namespace strata::warmup_analyzer

STRATA_EXPORT_PLUGINS(strata::warmup_analyzer::WarmupAnalyzer)
