// SPDX-License-Identifier: Apache-2.0
// Where `strata report --reset` sets the peaks back.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/steps/scopes.hpp"

namespace strata::cli {

// Of "step=3", where that step begins; of "phase=backward", wherever a phase of that name does; of
// "step=3,phase=backward", where those of that step do. Throws UsageError when it is none of these, or when
// the run has no such step or phase.
std::vector<analysis::PeakReset> peak_resets(const analysis::MemoryFacts& facts, const std::string& where);

}  // namespace strata::cli
