// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/thinned.hpp"

#include <algorithm>
#include <unordered_map>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

Window whole_steps(const Recording& run, const Window& window) {
  if (run.thinned.is_empty()) return window;
  const std::uint64_t end = run.thinned.intervals.back().end_sequence;
  if (end <= window.begin_sequence) return window;
  const auto first = std::ranges::find_if(run.steps, [&](const StepRow& step) {
    return step.begin_sequence >= end && step.step <= window.last_step;
  });
  Window whole = window;
  if (first == run.steps.end()) {
    // The window had ended, and is thinned completely: its final value is known.
    whole.first_step = window.last_step;
    whole.begin_sequence = window.end_sequence;
    whole.begin_ns = window.end_ns;
    return whole;
  }
  whole.first_step = first->step;
  whole.begin_sequence = first->begin_sequence;
  whole.begin_ns = first->begin_ns;
  return whole;
}

void drop_thinned_points(const Thinned& thinned, std::vector<Point>& points) {
  auto kept = points.begin();
  auto point = points.begin();
  for (const ThinnedSteps& interval : thinned.intervals) {
    const auto begin = std::partition_point(
        point, points.end(), [&](const Point& each) { return each.sequence < interval.begin_sequence; });
    const auto end = std::partition_point(
        begin, points.end(), [&](const Point& each) { return each.sequence < interval.end_sequence; });
    kept = kept == point ? begin : std::move(point, begin, kept);
    if (begin != end) *kept++ = *std::prev(end);
    point = end;
  }
  if (kept == point) return;
  points.erase(std::move(point, points.end(), kept), points.end());
}

void use_thinned_peaks(const Recording& run, std::vector<StepFact>& steps) {
  std::unordered_map<std::uint64_t, const ThinnedPeak*> peaks;
  for (const ThinnedPeak& peak : run.thinned.peaks) {
    if (Device{peak.device_type, peak.device_index} == run.device) peaks.emplace(peak.step_sequence, &peak);
  }
  for (StepFact& step : steps) {
    if (!run.thinned.contains(step.begin_sequence)) continue;
    step.thinned = true;
    step.peak_categories = {};
    step.begin_categories = {};
    step.peak_allocated_bytes = step.peak_reserved_bytes = 0;
    step.peak_sequence = step.begin_sequence;
    step.peak_ns = step.begin_ns;
    const auto found = peaks.find(step.begin_sequence);
    if (found == peaks.end()) continue;
    const ThinnedPeak& peak = *found->second;
    step.peak_allocated_bytes = peak.allocated_bytes;
    step.peak_reserved_bytes = peak.reserved_bytes;
    step.peak_sequence = peak.sequence;
    step.peak_ns = peak.ns;
  }
}

}  // namespace strata::analysis
