// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace strata::analysis {

// Median and mean over the events of the window, and a mean over its time. min and max also include the value
// at the begin of the window, as the peak does.
struct CategoryStatistics {
  std::uint64_t min = 0, median = 0, max = 0;
  double mean_over_events = 0.0;
  double mean_over_time = 0.0;
};

}  // namespace strata::analysis
