// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/process_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace strata {
namespace {

bool membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

constinit std::atomic<bool> process_barrier::threads_fence_themselves{true};

// ThreadSanitizer sees neither fences nor the kernel's barrier: for it, every thread takes part in one
// modification order.
#ifdef __SANITIZE_THREAD__
constexpr bool kFencesAreSeen = false;

void process_barrier::fence() noexcept {
  static std::atomic<unsigned> order = 0;
  order.fetch_add(1, std::memory_order_seq_cst);
}
#else
constexpr bool kFencesAreSeen = true;

void process_barrier::fence() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
#endif

void prepare_process_barrier() noexcept {
  if (kFencesAreSeen && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {
    process_barrier::threads_fence_themselves.store(false, std::memory_order_relaxed);
  }
}

bool order_all_threads() noexcept {
  process_barrier::fence();
  if (process_barrier::threads_fence_themselves.load(std::memory_order_relaxed)) return true;
  const bool ordered = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  process_barrier::fence();
  return ordered;
}

}  // namespace strata
