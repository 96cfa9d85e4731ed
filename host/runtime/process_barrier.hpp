// SPDX-License-Identifier: Apache-2.0
// An asymmetric fence: hot paths pay a compiler fence, the rare closer pays for all (membarrier(2)). Where
// the kernel has no such call, or a sandbox refuses it, each hot path pays a fence of its own: nothing else
// that a process can do orders other processors' accesses on every architecture.
#pragma once

#include <atomic>

namespace strata {

// Before the first use of what follows: asks the kernel for the barrier. Idempotent.
void prepare_process_barrier() noexcept;

// The hot path's half, between what it stores and what it loads.
inline void light_barrier() noexcept;

// The closer's half. True once every other thread of the process has passed a full memory barrier: each sees
// what the caller stored before, or the caller sees what it stored. False when the kernel had granted the
// barrier and refuses it now (a filter on system calls came later): then nothing is known.
[[nodiscard]] bool order_all_threads() noexcept;

namespace process_barrier {

// True until the kernel has granted its barrier, and for good where it does not.
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
