// SPDX-License-Identifier: Apache-2.0
// Where a run's time went, on the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/time/device_peak.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

struct TimeReportOptions {
  std::size_t top = 12;                           // rows of each list
  std::uint32_t depth = 3;                        // of the modules
  bool unfold = false;                            // numbered modules each in a row of its own
  bool steps = false;                             // a row for each step, and nothing else
  std::optional<analysis::DevicePeak> peak = {};  // to hold products against
};

// All of it. The run has recorded times.
std::string time_report(const analysis::Facts& facts, const TimeReportOptions& options, bool colour,
                        int width);

// A few lines for the run's report; empty where there is nothing to say.
std::string time_headline(const analysis::Facts& facts, const TerminalStyle& style);

}  // namespace strata::report
