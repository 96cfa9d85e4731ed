// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/step_peaks.hpp"

#include <algorithm>

#include "host/analysis/memory/timeline.hpp"

namespace strata::analysis {

void find_step_peaks(const std::vector<Point>& points, const OpenPhases& phases,
                     std::vector<StepFact>& steps) {
  for (StepFact& step : steps) {
    const auto highest = highest_point(points, step.begin_sequence, step.end_sequence);
    if (!highest) continue;
    const Point& peak = points[*highest];
    step.peak_allocated_bytes = allocated_bytes(peak);
    step.peak_categories = peak.bytes;
    // The value at the step's begin counts from its begin, whenever it was reached.
    step.peak_sequence = std::max(peak.sequence, step.begin_sequence);
    step.peak_ns = std::max(peak.ns, step.begin_ns);
    const auto phase = phases.innermost(step.peak_sequence);
    step.peak_phase = phase ? *phase + 1 : 0;
    const std::size_t first = points_within(points, step.begin_sequence, step.end_sequence).first;
    if (first > 0) step.begin_categories = points[first - 1].bytes;
  }
}

}  // namespace strata::analysis
