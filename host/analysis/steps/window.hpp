// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/window.hpp"

namespace strata::analysis {

struct Recording;

// The recorded steps of the active window; if the run never reached it, the whole run, with a warning.
Window active_window(const Recording& run, std::vector<std::string>& warnings);

}  // namespace strata::analysis
