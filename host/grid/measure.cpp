// SPDX-License-Identifier: Apache-2.0
#include "host/grid/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "host/analysis/reading/run_reader.hpp"
#include "host/analysis/steps/median.hpp"

namespace strata::grid {
namespace {

using SummaryJson = nlohmann::json;

// Empty if it is not a number, or one that no run can have.
std::optional<double> number_at(const SummaryJson& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number()) return std::nullopt;
  const double number = found->get<double>();
  return std::abs(number) < 0x1p63 ? std::optional(number) : std::nullopt;
}

std::string text_at(const SummaryJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const SummaryJson& at(const SummaryJson& object, const char* key) {
  static const SummaryJson nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

// A run without it records no memory, and its peak reads 0.
bool traced_memory(const SummaryJson& summary) {
  return std::ranges::any_of(at(summary, "plugins"), [](const SummaryJson& plugin) {
    return plugin.is_object() && text_at(plugin, "id") == "allocator_tracer" &&
           text_at(plugin, "status") == "ok";
  });
}

const SummaryJson& window_scope(const SummaryJson& summary) {
  static const SummaryJson nothing;
  for (const SummaryJson& scope : at(summary, "scopes")) {
    if (scope.is_object() && text_at(scope, "kind") == "window") return scope;
  }
  return nothing;
}

// Over the window's completed steps.
std::optional<double> median_step(const SummaryJson& summary) {
  const auto first = number_at(at(summary, "window"), "first_step"),
             last = number_at(at(summary, "window"), "last_step");
  std::vector<double> durations;
  for (const SummaryJson& step : at(summary, "steps")) {
    const auto index = number_at(step, "index"), duration = number_at(step, "duration_ns");
    if (index && duration && first && last && *index >= *first && *index <= *last)
      durations.push_back(*duration);
  }
  if (durations.empty()) return std::nullopt;
  return analysis::median(std::move(durations));
}

std::string largest_categories(const SummaryJson& categories) {
  std::vector<std::pair<double, std::string>> parts;
  double total = 0.0;
  for (const auto& [name, bytes] : categories.items()) {
    if (!bytes.is_number()) continue;
    parts.emplace_back(bytes.get<double>(), name);
    total += bytes.get<double>();
  }
  std::ranges::sort(parts, std::greater());
  std::string text;
  for (std::size_t index = 0; index < parts.size() && index < 3 && parts[index].first > 0.005 * total;
       ++index)
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", parts[index].second,
                        100.0 * parts[index].first / total);
  return text;
}

std::optional<OutOfMemory> last_failure(const SummaryJson& summary) {
  const SummaryJson& failures = at(summary, "out_of_memory");
  if (!failures.is_array() || failures.empty() || !failures.back().is_object()) return std::nullopt;
  const SummaryJson& failure = failures.back();
  const auto bytes = [&](const char* key) {
    return static_cast<std::uint64_t>(std::max(0.0, number_at(failure, key).value_or(0.0)));
  };
  return OutOfMemory{.requested_bytes = bytes("requested_bytes"),
                     .allocated_bytes = bytes("allocated_bytes"),
                     .op = text_at(failure, "op"),
                     .layer = text_at(failure, "layer"),
                     .phase = text_at(failure, "phase"),
                     .step = static_cast<std::int64_t>(number_at(failure, "step").value_or(-1.0)),
                     .filled_by = largest_categories(at(failure, "categories"))};
}

std::optional<RunResult> read_rank(const std::filesystem::path& folder) {
  std::ifstream in(folder / "summary.json", std::ios::binary);
  const SummaryJson summary = SummaryJson::parse(in, nullptr, false);
  if (!summary.is_object() || !text_at(summary, "schema").starts_with("strata.summary/")) return std::nullopt;

  RunResult result;
  result.measured = at(summary, "measured") == true;
  Measures& measures = result.measures;
  if (traced_memory(summary)) {
    measures[Measure::kPeakAllocated] = number_at(at(summary, "peak"), "allocated_bytes");
    measures[Measure::kPeakReserved] = number_at(at(summary, "peak"), "reserved_bytes");
  }
  const SummaryJson& window = window_scope(summary);
  const std::pair<Measure, const char*> scoped[] = {{Measure::kPeakReserved, "reserved"},
                                                    {Measure::kPeakRequested, "requested"},
                                                    {Measure::kPeakDeviceUsed, "device_used"},
                                                    {Measure::kPeakResident, "resident"}};
  for (const auto& [measure, name] : scoped) {
    if (const auto peak = number_at(at(window, name), "peak_bytes")) measures[measure] = peak;
  }
  measures[Measure::kStepTime] = median_step(summary);
  measures[Measure::kModelledStepTime] = number_at(summary, "modelled_step_ns");
  measures[Measure::kThroughput] = number_at(at(summary, "throughput"), "per_second");
  measures[Measure::kLoss] = number_at(at(summary, "loss"), "last");
  result.out_of_memory = last_failure(summary);
  return result;
}

// By rank. Rank 0's is the run's own.
std::map<std::uint64_t, std::filesystem::path> rank_folders(const std::filesystem::path& run) {
  std::map<std::uint64_t, std::filesystem::path> folders{{0, run}};
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(run, ignored)) {
    const auto rank = analysis::rank_of_folder(entry.path());
    if (rank && std::filesystem::exists(entry.path() / "summary.json", ignored))
      folders.emplace(*rank, entry.path());
  }
  return folders;
}

void add_rank(const RunResult& rank, RunResult& result) {
  for (const Measure measure : {Measure::kPeakAllocated, Measure::kPeakReserved, Measure::kPeakRequested,
                                Measure::kPeakDeviceUsed, Measure::kPeakResident, Measure::kModelledStepTime})
    result.measures[measure] = std::max(result.measures[measure], rank.measures[measure]);
  if (!result.out_of_memory) result.out_of_memory = rank.out_of_memory;
}

}  // namespace

std::string_view name_of(Measure measure) {
  return std::ranges::find(kMeasureNames, measure, &MeasureName::measure)->name;
}

const MeasureName* find_measure(std::string_view name) {
  const auto found = std::ranges::find(kMeasureNames, name, &MeasureName::name);
  return found == kMeasureNames.end() ? nullptr : &*found;
}

std::optional<RunResult> read_result(const std::filesystem::path& run) {
  std::optional<RunResult> result;
  const std::map<std::uint64_t, std::filesystem::path> folders = rank_folders(run);
  for (const auto& [rank, folder] : folders) {
    std::optional<RunResult> of_rank = read_rank(folder);
    if (!of_rank) continue;
    if (of_rank->out_of_memory && folders.size() > 1)
      of_rank->out_of_memory->rank = static_cast<std::int64_t>(rank);
    if (result)
      add_rank(*of_rank, *result);
    else
      result = std::move(of_rank);
  }
  return result;
}

}  // namespace strata::grid
