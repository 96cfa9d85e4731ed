// SPDX-License-Identifier: Apache-2.0
// Push and pop of each thread, where an end may come on another thread than its begin: NVTX pops the calling
// thread's ranges only. Such a range is left open, and popped by its own thread as soon as that comes by
// again, before anything else of it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "plugins/nvtx_markers/domain.hpp"

namespace strata::nvtx_markers {

// The OS's id of the calling thread, as strata_when.thread has it.
inline std::uint32_t calling_thread() noexcept {
  thread_local const auto id = static_cast<std::uint32_t>(gettid());
  return id;
}

class ThreadRanges {
 public:
  explicit ThreadRanges(Domain& domain) : domain_(domain) {}

  void push(const Range& range) {
    pop_abandoned();
    domain_.push(range);
  }

  // Ends the innermost open range of `owner`, the thread that pushed it. Arguments are Domain::pop's.
  template <typename... End>
  void pop(std::uint32_t owner, const End&... end) {
    if (owner == calling_thread()) {
      pop_abandoned();
      domain_.pop(end...);
    } else {
      abandon(owner);
    }
  }

  // Ranges that their threads have not come by to end.
  std::uint32_t abandoned() const noexcept { return abandoned_.load(std::memory_order_relaxed); }

 private:
  void abandon(std::uint32_t owner) {
    const std::lock_guard lock(mutex_);
    ++by_thread_[owner];
    abandoned_.fetch_add(1, std::memory_order_relaxed);
  }

  void pop_abandoned() {
    if (abandoned() == 0) return;
    const std::lock_guard lock(mutex_);
    const auto mine = by_thread_.find(calling_thread());
    if (mine == by_thread_.end()) return;
    for (std::uint32_t i = 0; i < mine->second; ++i) domain_.pop();
    abandoned_.fetch_sub(mine->second, std::memory_order_relaxed);
    by_thread_.erase(mine);
  }

  Domain& domain_;
  std::atomic<std::uint32_t> abandoned_{0};
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_thread_;
};

}  // namespace strata::nvtx_markers
