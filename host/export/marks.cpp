// SPDX-License-Identifier: Apache-2.0
#include "host/export/marks.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::exports {
namespace {

template <typename Range>
void add_marks(const std::vector<Range>& intervals, bool is_step, std::vector<Mark>& marks) {
  for (std::size_t index = 0; index < intervals.size(); ++index) {
    const Range& interval = intervals[index];
    marks.push_back({interval.begin_sequence, interval.begin_ns, true, is_step, index});
    if (interval.end_sequence != UINT64_MAX)
      marks.push_back({interval.end_sequence, interval.end_ns, false, is_step, index});
  }
}

}  // namespace

std::vector<Mark> marks_of(const analysis::MemoryFacts& facts) {
  std::vector<Mark> marks;
  add_marks(facts.steps, true, marks);
  add_marks(facts.phases, false, marks);
  std::ranges::stable_sort(marks, {}, &Mark::sequence);
  return marks;
}

}  // namespace strata::exports
