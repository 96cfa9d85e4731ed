// SPDX-License-Identifier: Apache-2.0
// An asymmetric fence: hot paths have only a compiler fence, and the rare closer pays for all
// (membarrier(2)). If the kernel lacks that call, or a sandbox refuses it, each hot path has a fence of its
// own: a process has no other way to order the accesses of other processors on every architecture.
#pragma once

#include <atomic>

namespace strata {

// Asks the kernel for the barrier. Call before the first use of the functions below. Idempotent.
void prepare_process_barrier() noexcept;

// The hot path's half: call between the store and the load.
inline void light_barrier() noexcept;

// The closer's half. True once every other thread of the process has passed a full memory barrier: either it
// sees what the caller stored before, or the caller sees what it stored. False if the kernel granted the
// barrier earlier but refuses it now (a filter on system calls was installed since): then nothing is known.
[[nodiscard]] bool order_all_threads() noexcept;

namespace process_barrier {

// True until the kernel has granted its barrier; stays true if it never does.
extern std::atomic<bool> threads_fence_themselves;
// Not inline: this is the rare case, and a fence is more code than a call.
void fence() noexcept;

}  // namespace process_barrier

inline void light_barrier() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (process_barrier::threads_fence_themselves.load(std::memory_order_relaxed)) [[unlikely]]
    process_barrier::fence();
}

}  // namespace strata
