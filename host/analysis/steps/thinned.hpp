// SPDX-License-Identifier: Apache-2.0
// What thinned steps leave of the window, of the timeline and of the steps.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/step.hpp"
#include "host/analysis/facts/thinned.hpp"
#include "host/analysis/facts/window.hpp"

namespace strata::analysis {

struct Point;
struct Recording;
struct StepFact;
struct Window;

// "steps 0-412 are thinned (store.max_mb): their peaks are kept, ..."
std::string thinned_sentence(const Thinned& thinned, const Window& window);

// The window from the first step on behind which nothing is thinned.
Window whole_steps(const Recording& run, const Window& window);

// Leaves of each interval the level that it ends with: those before lack what came and went.
void drop_thinned_points(const Thinned& thinned, std::vector<Point>& points);

// The kept peaks of the run's device.
void use_thinned_peaks(const Recording& run, std::vector<StepFact>& steps);

}  // namespace strata::analysis
