// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM while a run goes on.
#pragma once

#include <atomic>

namespace strata::cli {

// While it lives: the first SIGINT or SIGTERM is only noted, so that the run can end cleanly; the process
// dies of the second at once. SIGPIPE is ignored: a progress line that nobody reads must not end a training.
// One at a time a process.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // The signal that was noted, or 0.
  static const std::atomic<int>& signal();
};

}  // namespace strata::cli
