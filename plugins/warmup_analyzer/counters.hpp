// SPDX-License-Identifier: Apache-2.0
// The kernel's counters for the process and the calling thread, read in about two microseconds.
#pragma once

#include <cstdint>

#include "plugins/warmup_analyzer/tables.hpp"

namespace strata::warmup_analyzer {

// Time in the run queue (/proc/thread-self/schedstat), if the kernel provides it. Opened for the calling
// thread.
class RunQueueWait {
 public:
  RunQueueWait() = default;
  ~RunQueueWait() { close(); }
  RunQueueWait(const RunQueueWait&) = delete;
  RunQueueWait& operator=(const RunQueueWait&) = delete;

  // [loop-thread] Nanoseconds that `thread`, the calling one, was ready without a processor; -1: unknown.
  std::int64_t read_ns(std::uint32_t thread) noexcept;

 private:
  void close() noexcept;
  int file_ = -1;
  std::uint32_t thread_ = 0;  // the thread it is open for
};

// [any] Page faults of the calling thread that did not read a file.
std::uint64_t thread_minor_faults() noexcept;

// [loop-thread] Fills the counters that the kernel provides; the rest of `row` is unchanged.
SampleRow with_counters(SampleRow row, RunQueueWait& wait) noexcept;

}  // namespace strata::warmup_analyzer
