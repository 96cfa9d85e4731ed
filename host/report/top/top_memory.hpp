// SPDX-License-Identifier: Apache-2.0
// The memory of one device as bars.
#pragma once

#include <string>

#include "host/analysis/live/live_rank.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// Allocated, reserved, peak and use of the device, and allocated memory by category.
std::string top_memory(const analysis::LiveDevice& device, const TerminalStyle& style);

}  // namespace strata::report
