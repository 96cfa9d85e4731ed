// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/operator_times.hpp"

#include <algorithm>
#include <tuple>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/warm_up/quantile.hpp"

namespace strata::analysis {
namespace {

// By begin. In the rows a call includes calls nested in it on its thread: these are subtracted.
std::vector<OwnCall> own_calls(const std::vector<OperatorCall>& rows) {
  std::vector<OwnCall> calls;
  calls.reserve(rows.size());
  for (const OperatorCall& row : rows)
    calls.push_back(
        {&row, std::max<std::int64_t>(0, row.minor_faults), std::max<std::int64_t>(0, row.libraries)});
  std::ranges::sort(calls, [](const OwnCall& left, const OwnCall& right) {
    return std::tuple(left.call->thread, left.call->begin_ns, -left.call->end_ns) <
           std::tuple(right.call->thread, right.call->begin_ns, -right.call->end_ns);
  });
  std::vector<OwnCall*> around;
  for (OwnCall& call : calls) {
    while (!around.empty() && (around.back()->call->thread != call.call->thread ||
                               around.back()->call->end_ns < call.call->end_ns))
      around.pop_back();
    if (!around.empty()) {
      OwnCall& outer = *around.back();
      outer.faults = std::max<std::int64_t>(0, outer.faults - call.call->minor_faults);
      outer.libraries = std::max<std::int64_t>(0, outer.libraries - call.call->libraries);
    }
    around.push_back(&call);
  }
  std::ranges::stable_sort(calls, {}, [](const OwnCall& call) { return call.call->begin_ns; });
  return calls;
}

}  // namespace

OperatorTimes::OperatorTimes(const Recording& run, const std::unordered_set<std::int64_t>& steady)
    : calls_(own_calls(run.warm_up.calls)) {
  for (const OperatorTime& row : run.warm_up.operators) {
    known_steps_.insert(row.step);
    const auto ns = static_cast<double>(row.self_ns);
    if (steady.contains(row.step)) {
      Sum& sum = steady_[row.name];
      sum.ns += ns;
      sum.calls += row.calls;
    }
    if (cause_of_operator(run.texts[row.name]) != Cause::kProjector) continue;
    Sum& sum = projections_[row.step];
    sum.ns += ns;
    sum.calls += row.calls;
  }
  std::vector<double> usual;
  for (const std::int64_t step : steady) {
    if (!knows(step)) continue;
    const auto found = projections_.find(step);
    usual.push_back(found == projections_.end() ? 0.0 : found->second.ns);
  }
  std::ranges::sort(usual);
  usual_projection_ns_ = sorted_quantile(usual, 0.5);
}

double OperatorTimes::usual_ns_a_call(std::uint32_t name) const {
  const auto found = steady_.find(name);
  if (found == steady_.end() || found->second.calls == 0) return 0.0;
  return found->second.ns / static_cast<double>(found->second.calls);
}

double OperatorTimes::projection_excess_ns(std::int64_t step) const {
  const auto found = projections_.find(step);
  return found == projections_.end() ? 0.0 : std::max(0.0, found->second.ns - usual_projection_ns_);
}

std::uint64_t OperatorTimes::projections(std::int64_t step) const {
  const auto found = projections_.find(step);
  return found == projections_.end() ? 0 : found->second.calls;
}

std::vector<OwnCall> OperatorTimes::calls(std::int64_t begin_ns, std::int64_t end_ns) const {
  const auto begin_of = [](const OwnCall& call) { return call.call->begin_ns; };
  const auto from = std::ranges::lower_bound(calls_, begin_ns, {}, begin_of);
  const auto to = std::ranges::lower_bound(from, calls_.end(), end_ns, {}, begin_of);
  std::vector<OwnCall> calls(from, to);
  std::ranges::stable_sort(calls, {},
                           [](const OwnCall& call) { return call.call->end_ns - call.call->begin_ns; });
  return calls;
}

}  // namespace strata::analysis
