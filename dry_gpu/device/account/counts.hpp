// SPDX-License-Identifier: Apache-2.0
// Counts of the limits of a dry run: work that was not done, values that were unknown, functions that failed
// because they are not implemented.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace strata::dry_gpu {

// A sum to which many threads add at once.
class Count {
 public:
  void add(std::uint64_t amount = 1) { slots_[slot()].value.fetch_add(amount, std::memory_order_relaxed); }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.value.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr unsigned kSlots = 16;
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> value = 0;
  };

  static unsigned slot() {
    static std::atomic<unsigned> threads = 0;
    thread_local const unsigned mine = threads.fetch_add(1, std::memory_order_relaxed) % kSlots;
    return mine;
  }

  std::array<Slot, kSlots> slots_;
};

struct Counts {
  Count launches;        // kernels
  Count library_calls;   // computations of a library, such as matrix products
  Count unknown_reads;   // copies to the host of data that a kernel would have written: they read zeros
  Count unknown_bytes;   // in these reads
  Count unknown_times;   // requested times between events
  Count answered_reads;  // reads answered by the user's answers instead
  Count assumed_reads;   // the same for conditions assumed to be met (conditions.hpp)
  Count communicators;   // of NCCL, whose memory on a real GPU is not documented
  // Library workspaces of undocumented size: the minimum, or the value of a setting.
  Count unknown_workspaces;
  Count asked_workspaces;    // sizes reported by the real library
  Count fitted_workspaces;   // sizes from a formula fitted to measurements of a real GPU
  Count bounded_workspaces;  // sizes with only a known upper bound
};

}  // namespace strata::dry_gpu
