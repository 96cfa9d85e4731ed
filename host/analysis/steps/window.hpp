// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/analysis/facts/run_interval.hpp"
#include "host/analysis/facts/warning.hpp"

namespace strata::analysis {

struct Recording;

// The recorded steps of the active window; if the run never reached it, the whole run, with a warning.
Window active_window(const Recording& run, std::vector<Warning>& warnings);

}  // namespace strata::analysis
