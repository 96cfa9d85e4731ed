// SPDX-License-Identifier: Apache-2.0
// A running run, as shown by `strata top`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/live/live_rank.hpp"

namespace strata::report {

struct TopView {
  std::string_view run;  // its folder
  const std::vector<analysis::LiveRank>& ranks;
  std::size_t detailed = 0;  // index of the rank shown in full
};

// Lines of at most `width` columns for a screen. Bars are relative to the device's capacity or, if unknown,
// to the peak.
std::string top_screen(const TopView& view, bool colour, int width);

// The rank in one line of at most `width` columns: for dumb terminals and logs.
std::string top_line(const analysis::LiveRank& rank, bool with_rank, int width);

// How the run ended, in a sentence; empty while it is running.
std::string top_end(const std::vector<analysis::LiveRank>& ranks);

}  // namespace strata::report
