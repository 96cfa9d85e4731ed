// SPDX-License-Identifier: Apache-2.0
// Sentences about data that a run's lanes do not show, and why.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/report/lanes/lanes.hpp"

namespace strata::report {

std::vector<std::string> lane_notes(const analysis::Facts& facts, const Lanes& lanes);

// The shell command that writes all of a run's times to a file for ui.perfetto.dev.
std::string trace_command(const analysis::Facts& facts);

}  // namespace strata::report
