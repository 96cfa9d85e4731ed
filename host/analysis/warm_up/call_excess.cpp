// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/call_excess.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {
namespace {

struct Calls {
  double first_ns = 0.0, later_ns = 0.0;
  std::vector<SlowCall> all;
};

CallFamily family_of(Cause cause, Calls calls, double later_ns) {
  std::ranges::stable_sort(calls.all, std::ranges::greater{}, &SlowCall::ns);
  const std::uint64_t count = calls.all.size();
  if (count > kNamedInProof) calls.all.resize(kNamedInProof);
  return {cause, calls.first_ns + later_ns, count, std::move(calls.all)};
}

}  // namespace

CallExcess call_excess(const CallsOfPhase& wanted, const Recording& run, const OperatorTimes& operators,
                       ClaimedTime& claimed) {
  CallExcess excess;
  std::map<Cause, Calls> families;
  for (const Span& interval : wanted.part.intervals) {
    for (const OwnCall& own : operators.calls(interval.begin_ns, interval.end_ns)) {
      const OperatorCall& call = *own.call;
      const std::string_view name = run.texts[call.name];
      const Cause cause = cause_of_operator(name);
      const bool is_wanted = wanted.thread == 0 || call.thread == wanted.thread;
      if (!is_wanted || cause == Cause::kProjector) continue;  // projections have sums of their own
      excess.libraries += static_cast<double>(own.libraries);
      const std::int64_t unclaimed_ns = claimed.claim(call.begin_ns, std::min(call.end_ns, interval.end_ns));
      double ns =
          static_cast<double>(std::min(unclaimed_ns, call.self_ns)) - operators.usual_ns_a_call(call.name);
      if (ns <= 0.0) continue;
      const double faults = std::min(wanted.faults - excess.faults, static_cast<double>(own.faults));
      const double fault_ns = std::min(ns, faults * run.warm_up.page_fault_ns);
      excess.faults += faults;
      excess.fault_ns += fault_ns;
      ns -= fault_ns;
      Calls& calls = families[cause];
      (call.is_first ? calls.first_ns : calls.later_ns) += ns;
      calls.all.push_back({std::string(name), ns, call.is_first, own.libraries});
    }
  }
  double waited_ns = wanted.waited_ns;
  for (auto& [cause, calls] : families) {
    const double by_waiting_ns = std::min(waited_ns, calls.later_ns);
    waited_ns -= by_waiting_ns;
    const double later_ns = calls.later_ns - by_waiting_ns;
    excess.families.push_back(family_of(cause, std::move(calls), later_ns));
  }
  return excess;
}

}  // namespace strata::analysis
