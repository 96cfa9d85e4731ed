// SPDX-License-Identifier: Apache-2.0
// Where a run's last step ends, and whether it came to its end: nothing comes behind it that would tell.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

// A session that ends inside a step closes the step itself, and knows neither its loss nor its tokens.
bool is_complete(const Recording& run, const StepRow& step);

// Until when the last step worked; INT64_MAX: until its end.
struct LastWork {
  std::int64_t host_ns = INT64_MAX;    // its last phase's end
  std::int64_t device_ns = INT64_MAX;  // or the end of what a device did for its phases, where that is later
};

// The last step of a loop that nobody marks ends with the program, whatever this does behind its loop:
// nothing comes after it, and its phases are concluded. `changes` are of all of the run.
LastWork last_work(const Recording& run, const std::vector<Change>& changes);

}  // namespace strata::analysis
