// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/event_clock.hpp"

#include <algorithm>
#include <vector>

namespace strata::report::plot {
namespace {

// By the sequences of the allocations and frees, which it keeps.
class EventClock {
 public:
  explicit EventClock(const std::vector<analysis::Point>& points) {
    sequences_.reserve(points.size());
    for (const analysis::Point& point : points) sequences_.push_back(point.sequence);
  }

  // How many come before.
  std::int64_t at(std::uint64_t sequence) const {
    return std::ranges::lower_bound(sequences_, sequence) - sequences_.begin();
  }

 private:
  std::vector<std::uint64_t> sequences_;
};

}  // namespace

analysis::MemoryFacts with_event_clock(analysis::MemoryFacts facts) {
  const EventClock clock(facts.points);
  const auto turn = [&](auto& ranges) {
    for (auto& range : ranges) {
      range.begin_ns = clock.at(range.begin_sequence);
      range.end_ns = clock.at(range.end_sequence);
    }
  };
  turn(facts.steps);
  turn(facts.phases);
  for (auto& step : facts.steps) step.peak_ns = clock.at(step.peak_sequence);
  for (auto& point : facts.points) point.ns = clock.at(point.sequence);
  for (auto& point : facts.reserved) point.ns = clock.at(point.sequence);
  facts.window_begin_ns = clock.at(facts.window_begin_sequence);
  facts.window_end_ns = clock.at(facts.window_end_sequence);
  facts.peak.ns = clock.at(facts.peak.sequence);
  facts.begin_ns = 0;
  facts.end_ns = static_cast<std::int64_t>(facts.points.size());
  return facts;
}

}  // namespace strata::report::plot
