// SPDX-License-Identifier: Apache-2.0
// Which machine's CLOCK_MONOTONIC a run's times are of, and how it stood to the machine's wall clock.
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
  std::string hostname, boot_id;  // as the manifest has them; empty: unknown
  std::vector<ClockPair> pairs;   // in the order in which they were read
};

}  // namespace strata::analysis
