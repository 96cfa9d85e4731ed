// SPDX-License-Identifier: Apache-2.0
// A run of three steps on a device whose allocator caches, written by hand: blocks larger than what was asked
// for, a free that a stream delays, samples of device and process, torch's counts of one step.
#pragma once

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis::testing {

// As the store's reader hands it over. Step 1 reaches 1,024 bytes and 3 MiB allocated, 22 MiB reserved.
Recording cached_run();

}  // namespace strata::analysis::testing
