// SPDX-License-Identifier: Apache-2.0
// What the lanes of a run do not show, and why, in sentences.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/report/lanes/lanes.hpp"

namespace strata::report {

std::vector<std::string> lane_notes(const analysis::Facts& facts, const Lanes& lanes);

// What writes all of a run's times into a file that ui.perfetto.dev opens: for a shell.
std::string trace_command(const analysis::Facts& facts);

}  // namespace strata::report
