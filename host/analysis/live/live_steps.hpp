// SPDX-License-Identifier: Apache-2.0
// The steps of a running run: the current one, and the speed of the last ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace strata::analysis {

// The number of last completed steps used: enough to show a pause, and few enough to forget it.
inline constexpr std::size_t kRecentSteps = 32;

struct LivePace {
  std::size_t steps = 0;  // number of steps covered by the values below
  double median_ns = 0.0, least_ns = 0.0, most_ns = 0.0;
  std::optional<double> counted_per_second;  // tokens or images; empty if nothing was counted
};

class LiveSteps {
 public:
  // In the order of their numbers; an end after its begin.
  void begin(std::int64_t step, std::uint32_t schedule, std::int64_t ns);
  void end(std::int64_t step, std::int64_t ns, double loss, std::uint64_t counted);

  std::optional<std::int64_t> current() const { return current_; }
  std::uint32_t schedule() const { return schedule_; }  // STRATA_STEP_* of the current one
  bool is_open() const { return current_ && begin_ns_of_open_.contains(*current_); }
  std::uint64_t ended() const { return ended_; }
  std::optional<double> last_ns() const;
  std::optional<double> loss() const { return loss_; }
  std::int64_t loss_step() const { return loss_step_; }
  std::optional<LivePace> pace() const;

 private:
  struct Ended {
    double ns = 0.0;
    std::uint64_t counted = 0;
  };
  std::optional<std::int64_t> current_;
  std::uint32_t schedule_ = 0;
  std::map<std::int64_t, std::int64_t> begin_ns_of_open_;  // by step: an end may be read after the next begin
  std::uint64_t ended_ = 0;
  std::deque<Ended> recent_;
  std::optional<double> loss_;
  std::int64_t loss_step_ = -1;
};

}  // namespace strata::analysis
