// SPDX-License-Identifier: Apache-2.0
// A run that goes on, as `strata top` shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/live/live_rank.hpp"

namespace strata::report {

struct TopView {
  std::string_view run;  // its folder
  const std::vector<analysis::LiveRank>& ranks;
  std::size_t detailed = 0;  // index of the rank that is shown in full
};

// A screen of lines of at most `width` columns. Bars are as long as the device's capacity or, where it is not
// known, the peak.
std::string top_screen(const TopView& view, bool colour, int width);

// The rank in one line of at most `width` columns: of a terminal without a cursor, and of logs.
std::string top_line(const analysis::LiveRank& rank, bool with_rank, int width);

// What became of the run, in a sentence; empty while it goes on.
std::string top_end(const std::vector<analysis::LiveRank>& ranks);

}  // namespace strata::report
