// SPDX-License-Identifier: Apache-2.0
// What the kernel counts of a process and of the calling thread, read in about two microseconds.
#pragma once

#include <cstdint>

#include "plugins/warmup_analyzer/tables.hpp"

namespace strata::warmup_analyzer {

// Of the run queue (/proc/thread-self/schedstat), where the kernel keeps it. Opened for the thread that asks.
class RunQueueWait {
 public:
  RunQueueWait() = default;
  ~RunQueueWait() { close(); }
  RunQueueWait(const RunQueueWait&) = delete;
  RunQueueWait& operator=(const RunQueueWait&) = delete;

  // [loop-thread] Nanoseconds that `thread`, the calling one, was ready and got no processor; -1: not known.
  std::int64_t read_ns(std::uint32_t thread) noexcept;

 private:
  void close() noexcept;
  int file_ = -1;
  std::uint32_t thread_ = 0;  // that it is open for
};

// [any] Page faults of the calling thread that read no file.
std::uint64_t thread_minor_faults() noexcept;

// [loop-thread] Fills what the kernel knows; the rest of `row` stays.
SampleRow with_counters(SampleRow row, RunQueueWait& wait) noexcept;

}  // namespace strata::warmup_analyzer
