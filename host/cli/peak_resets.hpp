// SPDX-License-Identifier: Apache-2.0
// The moments at which `strata report --reset` resets the peaks.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/steps/scopes.hpp"

namespace strata::cli {

// For "step=3": the begin of that step. For "phase=backward": the begin of each phase of that name. For
// "step=3,phase=backward": those in that step. Throws UsageError for another form, or if the run has no such
// step or phase.
std::vector<analysis::PeakReset> peak_resets(const analysis::MemoryFacts& facts, const std::string& where);

}  // namespace strata::cli
