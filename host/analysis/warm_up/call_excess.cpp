// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/call_excess.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/warm_up/proof.hpp"

namespace strata::analysis {
namespace {

struct Calls {
  double first_ns = 0.0, later_ns = 0.0;
  std::vector<std::pair<double, std::string>> texts;
};

std::string call_text(std::string_view name, double ns, const OwnCall& own) {
  std::string text = fmt::format("{} {}", name, time_text(ns));
  if (!own.call->is_first) text += " (not its first)";
  if (own.libraries > 0) text += fmt::format(" (opened {} libraries)", own.libraries);
  return text;
}

CallFamily family_of(Cause cause, Calls calls, double later_ns) {
  std::ranges::stable_sort(calls.texts, std::ranges::greater{}, [](const auto& text) { return text.first; });
  std::vector<std::string> texts;
  for (auto& [ns, text] : calls.texts) texts.push_back(std::move(text));
  return {cause, calls.first_ns + later_ns, texts.size(), list_text(texts)};
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
      calls.texts.emplace_back(ns, call_text(name, ns, own));
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
