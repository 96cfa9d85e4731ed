// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/claimed_time.hpp"

#include <algorithm>
#include <iterator>

namespace strata::analysis {

std::int64_t ClaimedTime::claim(std::int64_t begin_ns, std::int64_t end_ns) {
  if (end_ns <= begin_ns) return 0;
  std::int64_t begin = begin_ns, end = end_ns, taken_before = 0;
  auto next = intervals_.lower_bound(begin);
  if (next != intervals_.begin() && std::prev(next)->second >= begin) --next;
  while (next != intervals_.end() && next->first <= end) {
    taken_before +=
        std::max<std::int64_t>(0, std::min(next->second, end_ns) - std::max(next->first, begin_ns));
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = intervals_.erase(next);
  }
  intervals_.emplace(begin, end);
  return end_ns - begin_ns - taken_before;
}

}  // namespace strata::analysis
