// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/step.hpp"
#include "host/analysis/steps/open_phases.hpp"

namespace strata::analysis {

// Sets the value at each step's begin and its highest moment. Examines each point of each step once.
void find_step_peaks(const std::vector<Point>& points, const OpenPhases& phases,
                     std::vector<StepFact>& steps);

}  // namespace strata::analysis
