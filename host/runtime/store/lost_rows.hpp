// SPDX-License-Identifier: Apache-2.0
// Counts the rows of threads that have no spool because no file could be created, until they can be recorded.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "host/runtime/store/definition_log.hpp"

namespace strata {

class LostRows {
 public:
  // [any] [alloc-lock]
  void add(std::uint32_t table, std::uint32_t thread, std::int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    Gap& gap = gaps_.try_emplace({table, thread}, Gap{table, thread, 0, now_ns, now_ns}).first->second;
    ++gap.rows;
    gap.end_ns = now_ns;
  }

  // [any]
  void move_to(DefinitionLog& log) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, gap] : gaps_) log.append(gap);
    gaps_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Gap> gaps_;  // by table and thread
};

}  // namespace strata
