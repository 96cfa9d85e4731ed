// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/window.hpp"

namespace strata::analysis {

struct Recording;

// The steps of the active window that were recorded; in a run that never came so far, all of it, with a
// warning.
Window active_window(const Recording& run, std::vector<std::string>& warnings);

}  // namespace strata::analysis
