// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/step.hpp"

namespace strata::analysis {

struct MemoryFacts;

// The speed of the window's steps.
// For the steps first_step to last_step, both inclusive.
Pace window_pace(const std::vector<StepFact>& steps, std::int64_t first_step, std::int64_t last_step);

// The modelled duration of a step on a simulated GPU, if the run had a modelled clock.
// Nanoseconds of all device work divided by the number of begun steps, without the host's own time. Empty
// without a modelled clock.
std::optional<double> modelled_step_ns(const MemoryFacts& facts);

}  // namespace strata::analysis
