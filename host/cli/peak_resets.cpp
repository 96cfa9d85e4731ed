// SPDX-License-Identifier: Apache-2.0
#include "host/cli/peak_resets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

using analysis::MemoryFacts;
using analysis::PeakReset;

struct Place {
  std::optional<std::int64_t> step;
  std::string phase;  // empty: any
};

[[noreturn]] void refuse(const std::string& where, std::string_view problem) {
  throw UsageError(fmt::format("--reset {}: {}", where, problem));
}

Place parsed(const std::string& where) {
  static constexpr std::string_view kStep = "step=", kPhase = "phase=";
  static constexpr const char* kForms = "expected step=3, phase=backward or step=3,phase=backward";
  Place place;
  std::string_view rest = where;
  if (rest.starts_with(kStep)) {
    rest.remove_prefix(kStep.size());
    const std::string_view number = rest.substr(0, rest.find(','));
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), place.step.emplace());
    if (error != std::errc() || end != number.data() + number.size()) refuse(where, kForms);
    rest.remove_prefix(std::min(number.size() + 1, rest.size()));
    if (rest.empty() && where.back() != ',') return place;
  }
  if (!rest.starts_with(kPhase) || rest.size() == kPhase.size()) refuse(where, kForms);
  place.phase = rest.substr(kPhase.size());
  return place;
}

PeakReset of_step(const MemoryFacts& facts, const std::string& where, std::int64_t step) {
  const auto found = std::ranges::find(facts.steps, step, &analysis::StepFact::index);
  if (found != facts.steps.end())
    return {found->begin_sequence, found->begin_ns, fmt::format("step {}", step)};
  if (facts.steps.empty()) refuse(where, "this run recorded no steps");
  refuse(where, fmt::format("this run recorded steps {} to {}", facts.steps.front().index,
                            facts.steps.back().index));
}

}  // namespace

std::vector<PeakReset> peak_resets(const MemoryFacts& facts, const std::string& where) {
  const Place place = parsed(where);
  if (place.phase.empty()) return {of_step(facts, where, *place.step)};
  std::vector<PeakReset> resets;
  std::set<std::string> names;
  for (const analysis::PhaseFact& phase : facts.phases) {
    if (place.step && phase.step != *place.step) continue;
    names.insert(phase.name);
    if (phase.name != place.phase) continue;
    resets.push_back({phase.begin_sequence, phase.begin_ns,
                      phase.step < 0 ? phase.name : fmt::format("step {} {}", phase.step, phase.name)});
  }
  if (resets.empty())
    refuse(where, names.empty() ? std::string("no phase was recorded there")
                                : fmt::format("the phases there are {}", fmt::join(names, ", ")));
  return resets;
}

}  // namespace strata::cli
