// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/reading/recording.hpp"

namespace strata::analysis {

// The stretch of the run that statistics cover: from the begin of its first step to the end of its last.
struct Window {
  std::int64_t first_step = 0, last_step = 0;
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0, end_ns = 0;
};

// The steps of the active window that were recorded; in a run that never came so far, all of it, with a
// warning.
Window active_window(const Recording& run, std::vector<std::string>& warnings);

}  // namespace strata::analysis
