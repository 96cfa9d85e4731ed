// SPDX-License-Identifier: Apache-2.0
// A hand-written run of three steps on a device with a caching allocator: blocks larger than requested, a
// free that a stream delays, samples of device and process, torch's counts of one step.
#pragma once

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis::testing {

// The recording as the store's reader returns it. Step 1 reaches 1,024 bytes and 3 MiB allocated, 22 MiB
// reserved.
Recording cached_run();

}  // namespace strata::analysis::testing
