// SPDX-License-Identifier: Apache-2.0
// Counts of CUPTI's records by kind and problem, to check whether a timeline is complete.
#pragma once

#include <cstdint>

namespace strata::cupti {

struct RecordCounts {
  std::uint64_t activities = 0;  // reported
  std::uint64_t kernels = 0, graphs = 0, copies = 0, sets = 0, calls = 0;
  std::uint64_t launches = 0;           // calls whose kernel or graph must follow
  std::uint64_t answered_launches = 0;  // those whose kernel or graph was seen
  std::uint64_t without_times = 0;      // CUPTI could not time them: not reported
  std::uint64_t outside_window = 0;     // ended before the window began: not reported
  std::uint64_t without_call = 0;    // reported without op, phase and module, because their call was not seen
  std::uint64_t lost_origins = 0;    // the same, because their origin was already overwritten
  std::uint64_t other_records = 0;   // of kinds that are not reported
  std::uint64_t broken_buffers = 0;  // ended in an invalid record
  std::uint64_t skipped_bytes = 0;   // in those
};

}  // namespace strata::cupti
