// SPDX-License-Identifier: Apache-2.0
// Callbacks to call after an optimizer has run: it may have created state, which only its owner can name.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace strata {

class OptimizerWatchers {
 public:
  // [any] `key` is for `remove`. Callbacks are called on the loop's thread, while the loop's marks are
  // locked: a callback must not mark anything, nor add or remove callbacks.
  void add(const void* key, std::function<void()> callback) {
    const std::lock_guard lock(mutex_);
    watchers_.emplace_back(key, std::move(callback));
  }
  // [any] Waits for a callback that is running.
  void remove(const void* key) {
    const std::lock_guard lock(mutex_);
    std::erase_if(watchers_, [&](const auto& watcher) { return watcher.first == key; });
  }
  void tell() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, callback] : watchers_) callback();
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<const void*, std::function<void()>>> watchers_;
};

}  // namespace strata
