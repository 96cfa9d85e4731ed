// SPDX-License-Identifier: Apache-2.0
// Steps whose detail was removed from a store with a maximum size (`store.max_mb`). Their peaks, and the
// memory alive after them, are known to the byte. Allocations and frees within them are not, so only the peak
// covers them.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

struct ThinnedSteps {
  std::int64_t first_step = 0, last_step = 0;
  std::uint64_t steps = 0;
  std::uint64_t begin_sequence = 0,
                end_sequence = 0;  // from the begin of the first one to that of the next step
};

struct ThinnedPeak {
  std::uint64_t step_sequence = 0;  // of the step's begin
  std::uint32_t device_type = 0;
  std::int32_t device_index = 0;
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0, sequence = 0;
  std::int64_t ns = 0;
};

// In the order of the run. Empty: nothing was thinned.
struct Thinned {
  std::vector<ThinnedSteps> intervals;
  std::vector<ThinnedPeak> peaks;  // of all devices

  bool is_empty() const { return intervals.empty(); }
  bool contains(std::uint64_t sequence) const;
};

}  // namespace strata::analysis
