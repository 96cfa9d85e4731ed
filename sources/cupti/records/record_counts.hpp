// SPDX-License-Identifier: Apache-2.0
// What was met among CUPTI's records, so that a timeline can be held against it.
#pragma once

#include <cstdint>

namespace strata::cupti {

struct RecordCounts {
  std::uint64_t activities = 0;  // told
  std::uint64_t kernels = 0, graphs = 0, copies = 0, sets = 0, calls = 0;
  std::uint64_t launches = 0;           // calls of which a kernel or a graph is owed
  std::uint64_t answered_launches = 0;  // of these, those of which one was met
  std::uint64_t without_times = 0;      // CUPTI had no place to time them: not told
  std::uint64_t outside_window = 0;     // over before the window began: not told
  std::uint64_t without_call = 0;       // told without an op, a phase and a module: their call was not met
  std::uint64_t lost_origins = 0;       // the same, since too much was begun since
  std::uint64_t other_records = 0;      // of kinds that are not told of
  std::uint64_t broken_buffers = 0;     // which ended in what is no record
  std::uint64_t skipped_bytes = 0;      // of those
};

}  // namespace strata::cupti
