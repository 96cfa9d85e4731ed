// SPDX-License-Identifier: Apache-2.0
// From a recording to where its time went.
#pragma once

#include <optional>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/facts/window.hpp"

namespace strata::analysis {

struct Recording;

// Nothing of a run without the plugin cupti_timeline. Uses the rows of times up. Texts are the recording's.
std::optional<TimeFacts> time_facts(Recording& run, const Window& window);

}  // namespace strata::analysis
