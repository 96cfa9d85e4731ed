// SPDX-License-Identifier: Apache-2.0
// From which step on a run's steps take as long as they will, and what the steps before it took more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace strata::analysis {

enum class Course : std::uint8_t {
  kNotYet,    // too few steps to tell
  kFlat,      // steady from the first step on
  kWarmUp,    // slower steps at first
  kSlowDown,  // steps before the steady ones were faster
  kNone,      // no steady state: the steps' end is no long enough interval of one level
};

struct TimedStep {
  std::int64_t step = 0;
  double ns = 0.0;
};

// Steps of one level.
struct Segment {
  std::int64_t first_step = 0, last_step = 0;
  double median_ns = 0.0;
};

struct SteadyState {
  Course course = Course::kNotYet;
  std::uint64_t steps = 0;                 // that were looked at
  std::optional<std::int64_t> first_step;  // of the steady ones; none in kNotYet and kNone
  std::uint64_t warm_up_steps = 0;         // before it
  double excess_ns = 0.0;                  // of those over the steady median, in all; below 0 in a slow-down
  std::optional<double> median_ns;         // of the steady steps; in kNotYet and kNone of all but the first
  double median_low_ns = 0.0, median_high_ns = 0.0;  // its 95% interval (bootstrap); only with `first_step`
  double mean_all_ns = 0.0;
  std::optional<double> mean_steady_ns;
  double unusual_ns = 0.0;           // a step longer than this is none of the steady kind; 0: not known
  std::uint64_t over_twice = 0;      // steady steps that took more than twice their median
  std::optional<TimedStep> longest;  // of the steady ones
  std::optional<double> first_over_median;  // how many times `median_ns` the first step took
  std::vector<Segment> segments;            // by step; empty in kNotYet
};

}  // namespace strata::analysis
