// SPDX-License-Identifier: Apache-2.0
// Computes how a recording's time was spent.
#pragma once

#include <optional>

#include "host/analysis/facts/run_interval.hpp"
#include "host/analysis/facts/time_facts.hpp"

namespace strata::analysis {

struct Recording;

// Empty for a run without the plugin cupti_timeline. Consumes the rows of times. Texts are the recording's.
std::optional<TimeFacts> time_facts(Recording& run, const Window& window);

}  // namespace strata::analysis
