#include "host/runtime/process_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace strata {
namespace {

bool membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

// Where the kernel has no membarrier (sandboxes refuse it): taking a right from a mapped page interrupts
// every processor that runs a thread of this process.
void shoot_down_page() noexcept {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  *static_cast<volatile char*>(page) = 1;
  mprotect(page, bytes, PROT_READ);
  munmap(page, bytes);
}

}  // namespace

void order_all_threads() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) ||
      !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
    shoot_down_page();
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace strata
