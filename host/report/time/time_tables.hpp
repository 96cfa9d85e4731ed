// SPDX-License-Identifier: Apache-2.0
// The tables of the time report. A table without data is empty. Times are means over the window's steps.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/time_facts.hpp"
#include "host/report/time/time_report.hpp"

namespace strata::report {

// Milliseconds with decimals suited to the largest value of a table.
class Milliseconds {
 public:
  // `largest_ns` and all other values are sums over this number of steps.
  Milliseconds(std::int64_t largest_ns, std::size_t steps);
  // "12.34"; empty for zero.
  std::string operator()(std::int64_t ns) const;

 private:
  double steps_;
  int decimals_;
};

// "61.2%"; "–" for a whole of zero.
std::string share_of(std::int64_t part, std::int64_t whole);

// Why a device was idle, in a few words.
const char* explained(analysis::IdleCause cause);
// "32*128x64x64", with the batch and the number of products.
std::string product_shape(const analysis::ProductRow& shape);

std::string phase_time_table(const analysis::TimeFacts& time, const TerminalStyle& style);
// With the means over all steps and over those after the warm-up.
std::string step_time_table(const analysis::Facts& facts, const TerminalStyle& style);
// "8.0 ms without the 2 steps of warm-up"; empty if the window contains no warm-up step.
std::string steady_mean(const analysis::Facts& facts);
std::string layer_time_table(const analysis::TimeFacts& time, const TimeReportOptions& options,
                             const TerminalStyle& style);
std::string op_time_table(const analysis::Facts& facts, const TimeReportOptions& options,
                          const TerminalStyle& style);
std::string kernel_time_table(const analysis::Facts& facts, const TimeReportOptions& options,
                              const TerminalStyle& style);
std::string device_time_text(const analysis::Facts& facts, const TimeReportOptions& options,
                             const TerminalStyle& style);
std::string product_table(const analysis::Facts& facts, const TimeReportOptions& options,
                          const TerminalStyle& style);

}  // namespace strata::report
