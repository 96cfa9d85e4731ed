// SPDX-License-Identifier: Apache-2.0
// What a dry run must own up to, counted: work that was not done, values that nobody knew, functions that
// were refused.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace strata::dry_gpu {

// A sum that many threads add to at once.
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
  Count library_calls;   // that a library would have computed: matrix products and the like
  Count unknown_reads;   // copies to the host of what a kernel would have written: they read zeros
  Count unknown_bytes;   // of these
  Count unknown_times;   // events whose distance was asked for
  Count answered_reads;  // that would have been unknown: the user's answers gave them
  Count assumed_reads;   // likewise: conditions that are taken to be met (conditions.hpp)
  Count communicators;   // of NCCL, whose memory on a card is not documented
  // Sizes of libraries' workspaces that no documentation tells: the least, or what a setting says.
  Count unknown_workspaces;
  Count asked_workspaces;    // sizes that the real library told
  Count fitted_workspaces;   // sizes by a formula that was fitted to measurements of a card
  Count bounded_workspaces;  // sizes of which only an upper bound is known
};

}  // namespace strata::dry_gpu
