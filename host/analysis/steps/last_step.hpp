// SPDX-License-Identifier: Apache-2.0
// The end of a run's last step, and whether it was completed: no later events show it.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

// A session that ends inside a step closes the step itself, without its loss and tokens.
bool is_complete(const Recording& run, const StepRow& step);

// Until when the last step worked; INT64_MAX: until its end.
struct LastWork {
  std::int64_t host_ns = INT64_MAX;    // its last phase's end
  std::int64_t device_ns = INT64_MAX;  // or the end of device work for its phases, if that is later
};

// The last step of an unmarked loop ends with the program, including its work after the loop: nothing follows
// it, and its phases are inferred. `changes` are those of the whole run.
LastWork last_work(const Recording& run, const std::vector<Change>& changes);

}  // namespace strata::analysis
