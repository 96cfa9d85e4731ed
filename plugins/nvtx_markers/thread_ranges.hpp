// SPDX-License-Identifier: Apache-2.0
// Push and pop per thread, for ends that may arrive on another thread than their begins: NVTX only pops
// ranges of the calling thread. Such a range is left open, and its own thread pops it at its next call,
// before anything else.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "plugins/nvtx_markers/domain.hpp"

namespace strata::nvtx_markers {

// The OS id of the calling thread, as in strata_when.thread.
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

  // Ends the innermost open range of `owner`, the thread that pushed it. The arguments are those of
  // Domain::pop.
  template <typename... End>
  void pop(std::uint32_t owner, const End&... end) {
    if (owner == calling_thread()) {
      pop_abandoned();
      domain_.pop(end...);
    } else {
      abandon(owner);
    }
  }

  // Ranges whose threads have not called again to end them.
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
