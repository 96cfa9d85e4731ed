// SPDX-License-Identifier: Apache-2.0
// Problems so far, each message once. Safe from any thread.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace strata {

class ProblemList {
 public:
  void add(std::string problem) {
    const std::lock_guard lock(mutex_);
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end()) {
      problems_.push_back(std::move(problem));
    }
  }
  std::vector<std::string> list() const {
    const std::lock_guard lock(mutex_);
    return problems_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> problems_;
};

}  // namespace strata
