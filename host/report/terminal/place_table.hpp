// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/peak.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// "default stream", "graph's pool 1, stream 0x55766eae5f10".
std::string place_name(const analysis::Place& place);

// The memory of streams and private pools at the peak, and how much of it others cannot use. Empty if there
// is only one.
std::string place_table(const std::vector<analysis::PlaceShare>& shares, const TerminalStyle& style);

}  // namespace strata::report
