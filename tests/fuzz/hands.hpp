// SPDX-License-Identifier: Apache-2.0
// A few threads that run one at a time, on request: so an input determines the order of several threads'
// events.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace strata::fuzz {

class Hands {
 public:
  static constexpr std::size_t kCount = 3;

  Hands() {
    for (std::size_t hand = 0; hand < kCount; ++hand)
      threads_[hand] = std::thread([this, hand] { work(hand); });
  }
  ~Hands() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  // Returns when the work is done. An exception ends the process.
  void let(std::size_t hand, const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    turn_ = hand;
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
  }

 private:
  void work(std::size_t hand) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return over_ || (work_ != nullptr && turn_ == hand); });
      if (over_) return;
      (*work_)();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t turn_ = 0;
  const std::function<void()>* work_ = nullptr;
  bool over_ = false;
  std::array<std::thread, kCount> threads_;
};

}  // namespace strata::fuzz
