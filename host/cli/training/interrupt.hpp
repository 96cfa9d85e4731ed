// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM during a run.
#pragma once

#include <atomic>

namespace strata::cli {

// While it exists, the first SIGINT or SIGTERM is only noted, so that the run can end cleanly; the second one
// kills the process at once. SIGPIPE is ignored: a closed progress output must not end a training. One
// instance at a time per process.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // The noted signal, or 0.
  static const std::atomic<int>& signal();
};

}  // namespace strata::cli
