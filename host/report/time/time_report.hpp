// SPDX-License-Identifier: Apache-2.0
// How a run spent its time, on the terminal.
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
  std::uint32_t depth = 3;                        // of modules
  bool unfold = false;                            // numbered modules in separate rows
  bool steps = false;                             // only a row for each step
  std::optional<analysis::DevicePeak> peak = {};  // for comparison with products
};

// The complete report. The run must have recorded times.
std::string time_report(const analysis::Facts& facts, const TimeReportOptions& options, bool colour,
                        int width);

// A few lines for the run's report; may be empty.
std::string time_headline(const analysis::Facts& facts, const TerminalStyle& style);

}  // namespace strata::report
