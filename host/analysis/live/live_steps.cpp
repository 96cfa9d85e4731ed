// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/live/live_steps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/analysis/steps/median.hpp"

namespace strata::analysis {

void LiveSteps::begin(std::int64_t step, std::uint32_t schedule, std::int64_t ns) {
  if (current_ && step <= *current_) return;
  current_ = step;
  schedule_ = schedule;
  begin_ns_of_open_[step] = ns;
  constexpr std::size_t kMostOpen = 1024;  // one; more where ends come later, and where they never do
  if (begin_ns_of_open_.size() > kMostOpen) begin_ns_of_open_.erase(begin_ns_of_open_.begin());
}

void LiveSteps::end(std::int64_t step, std::int64_t ns, double loss, std::uint64_t counted) {
  const auto open = begin_ns_of_open_.find(step);
  if (open == begin_ns_of_open_.end()) return;
  const std::int64_t begin_ns = open->second;
  begin_ns_of_open_.erase(open);
  ++ended_;
  recent_.push_back({static_cast<double>(std::max<std::int64_t>(ns - begin_ns, 0)), counted});
  if (recent_.size() > kRecentSteps) recent_.pop_front();
  if (std::isnan(loss)) return;
  loss_ = loss;
  loss_step_ = step;
}

std::optional<double> LiveSteps::last_ns() const {
  if (recent_.empty()) return std::nullopt;
  return recent_.back().ns;
}

std::optional<LivePace> LiveSteps::pace() const {
  if (recent_.empty()) return std::nullopt;
  std::vector<double> times;
  double all_ns = 0.0, counted = 0.0;
  for (const Ended& step : recent_) {
    times.push_back(step.ns);
    all_ns += step.ns;
    counted += static_cast<double>(step.counted);
  }
  const auto [least, most] = std::ranges::minmax(times);
  LivePace pace;
  pace.steps = times.size();
  pace.median_ns = median(times);
  pace.least_ns = least;
  pace.most_ns = most;
  if (counted > 0.0 && all_ns > 0.0) pace.counted_per_second = counted / (all_ns * 1e-9);
  return pace;
}

}  // namespace strata::analysis
