// SPDX-License-Identifier: Apache-2.0
// The machine whose CLOCK_MONOTONIC a run's times use, and its relation to the machine's wall clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

// CLOCK_MONOTONIC and CLOCK_REALTIME, read together.
struct ClockPair {
  std::int64_t monotonic_ns = 0, realtime_ns = 0;
};

struct MachineClock {
  std::string hostname, boot_id;  // from the manifest; empty: unknown
  std::vector<ClockPair> pairs;   // in the order of the readings
};

}  // namespace strata::analysis
