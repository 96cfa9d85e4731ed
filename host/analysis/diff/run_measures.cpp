// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/diff/run_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/layers/any_number.hpp"
#include "host/analysis/layers/layer_paths.hpp"
#include "host/analysis/steps/median.hpp"
#include "host/analysis/steps/scopes.hpp"

namespace strata::analysis {
namespace {

void add_peaks(const Facts& facts, std::vector<RunMeasure>& measures) {
  const std::vector<Scope> scopes = scopes_of(facts);
  const auto add = [&](const char* name, ScopeKind kind, Measure measure) {
    RunMeasure added{name, MeasureUnit::kBytes, {}};
    const auto scope = std::ranges::find(scopes, kind, &Scope::kind);
    if (scope != scopes.end() && (*scope)[measure])
      added.value = static_cast<double>((*scope)[measure]->peak_bytes);
    measures.push_back(std::move(added));
  };
  RunMeasure allocated{"peak_allocated", MeasureUnit::kBytes, {}};
  // If memory was not traced, its numbers are unknown, although the sums are 0.
  if (traces_memory(facts)) allocated.value = static_cast<double>(facts.peak.allocated_bytes);
  measures.push_back(std::move(allocated));
  add("peak_reserved", ScopeKind::kWindow, Measure::kReserved);
  add("peak_requested", ScopeKind::kWindow, Measure::kRequested);
  add("peak_device_used", ScopeKind::kWindow, Measure::kDeviceUsed);
  add("peak_resident", ScopeKind::kWindow, Measure::kResident);
  if (traces_memory(facts)) add("run_peak_allocated", ScopeKind::kRun, Measure::kAllocated);
  add("run_peak_reserved", ScopeKind::kRun, Measure::kReserved);
  add("run_peak_device_used", ScopeKind::kRun, Measure::kDeviceUsed);
}

void add_pace(const Facts& facts, std::vector<RunMeasure>& measures) {
  measures.push_back({"step_time", MeasureUnit::kNanoseconds, facts.pace.median_step_ns});
  measures.push_back(
      {"throughput", MeasureUnit::kPerSecond, facts.dry ? std::nullopt : facts.pace.tokens_per_second});
}

void add_contents(const Facts& facts, std::vector<RunMeasure>& measures) {
  if (!traces_memory(facts)) return;
  std::map<std::string, std::uint64_t> kinds, layers;
  for (const Block& block : facts.blocks) {
    if (!block.is_alive_at(facts.peak.sequence)) continue;
    kinds[fmt::format("kind.{}.{}", to_string(block.category), to_string(block.kind))] += block.bytes;
    layers["layer." + with_any_number(layer_path(facts, block).text)] += block.bytes;
  }
  const auto add = [&](const std::string& name, std::uint64_t bytes) {
    measures.push_back({name, MeasureUnit::kBytes, static_cast<double>(bytes)});
  };
  for (std::size_t category = 0; category < kCategories; ++category)
    add(fmt::format("category.{}", to_string(static_cast<Category>(category))),
        facts.peak.categories.at(category));
  for (const auto& [name, bytes] : kinds) add(name, bytes);
  for (const auto& [name, bytes] : layers) add(name, bytes);
}

void add_phases(const Facts& facts, std::vector<RunMeasure>& measures) {
  std::map<std::int64_t, std::size_t> places;  // of the steps that count
  for (const StepFact& step : facts.steps) {
    if (step.complete && step.index >= facts.first_step && step.index <= facts.last_step)
      places.emplace(step.index, places.size());
  }
  std::vector<std::pair<std::string, std::vector<double>>> phases;  // in the order of their first begin
  for (const PhaseFact& phase : facts.phases) {
    const auto place = places.find(phase.step);
    if (place == places.end() || phase.end_ns == INT64_MAX) continue;
    auto found = std::ranges::find(phases, phase.name, &decltype(phases)::value_type::first);
    if (found == phases.end()) found = phases.insert(found, {phase.name, std::vector<double>(places.size())});
    found->second[place->second] += static_cast<double>(phase.end_ns - phase.begin_ns);
  }
  for (auto& [name, times] : phases)
    measures.push_back({"phase." + name, MeasureUnit::kNanoseconds, median(std::move(times))});
}

bool lies_in_memory(const std::string& name) {
  return name.starts_with("category.") || name.starts_with("kind.") || name.starts_with("layer.");
}

}  // namespace

const char* to_string(MeasureUnit unit) {
  switch (unit) {
    case MeasureUnit::kBytes:
      return "bytes";
    case MeasureUnit::kNanoseconds:
      return "ns";
    case MeasureUnit::kPerSecond:
      return "per_second";
  }
  return "";
}

std::vector<RunMeasure> run_measures(const Facts& facts) {
  std::vector<RunMeasure> measures;
  add_peaks(facts, measures);
  add_pace(facts, measures);
  add_contents(facts, measures);
  add_phases(facts, measures);
  return measures;
}

std::vector<MeasureChange> compare_measures(const Facts& base, const Facts& now) {
  std::vector<MeasureChange> changes;
  std::map<std::string, std::size_t> places;
  const std::optional<double> absent_from_base = traces_memory(base) ? std::optional(0.0) : std::nullopt;
  const std::optional<double> absent_from_now = traces_memory(now) ? std::optional(0.0) : std::nullopt;
  for (const RunMeasure& measure : run_measures(base)) {
    places.emplace(measure.name, changes.size());
    changes.push_back({measure.name, measure.unit, measure.value, {}});
    if (lies_in_memory(measure.name)) changes.back().now = absent_from_now;
  }
  for (const RunMeasure& measure : run_measures(now)) {
    const auto [place, is_new] = places.emplace(measure.name, changes.size());
    if (is_new) {
      changes.push_back({measure.name, measure.unit, {}, {}});
      if (lies_in_memory(measure.name)) changes.back().base = absent_from_base;
    }
    changes[place->second].now = measure.value;
  }
  return changes;
}

}  // namespace strata::analysis
