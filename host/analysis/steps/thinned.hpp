// SPDX-License-Identifier: Apache-2.0
// The effect of thinned steps on the window, the timeline and the steps.
#pragma once

#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/run_interval.hpp"
#include "host/analysis/facts/step.hpp"
#include "host/analysis/facts/thinned.hpp"

namespace strata::analysis {

struct Point;
struct Recording;
struct StepFact;
struct Window;

// The window from the first step after which nothing is thinned.
Window whole_steps(const Recording& run, const Window& window);

// Keeps only the final value of each thinned interval: allocations and frees within it are missing.
void drop_thinned_points(const Thinned& thinned, std::vector<Point>& points);

// Sets the kept peaks of the run's device.
void use_thinned_peaks(const Recording& run, std::vector<StepFact>& steps);

}  // namespace strata::analysis
