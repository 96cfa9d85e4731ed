// SPDX-License-Identifier: Apache-2.0
// The step from which a run's steps have their steady duration, and the extra time of the steps before it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace strata::analysis {

enum class Course : std::uint8_t {
  kNotYet,    // too few steps to decide
  kFlat,      // steady from the first step on
  kWarmUp,    // the first steps are slower
  kSlowDown,  // the steps before the steady ones were faster
  kNone,      // no steady state: the last level is too short
};

struct TimedStep {
  std::int64_t step = 0;
  double ns = 0.0;
};

// Consecutive steps of one level.
struct Segment {
  std::int64_t first_step = 0, last_step = 0;
  double median_ns = 0.0;
};

struct SteadyState {
  Course course = Course::kNotYet;
  std::uint64_t steps = 0;                 // number of steps examined
  std::optional<std::int64_t> first_step;  // the first steady one; empty in kNotYet and kNone
  std::uint64_t warm_up_steps = 0;         // number before it
  double excess_ns = 0.0;           // their total time above the steady median; negative in a slow-down
  std::optional<double> median_ns;  // of the steady steps; in kNotYet and kNone of all but the first
  double median_low_ns = 0.0, median_high_ns = 0.0;  // its 95% interval (bootstrap); only with `first_step`
  double mean_all_ns = 0.0;
  std::optional<double> mean_steady_ns;
  double unusual_ns = 0.0;                  // a longer step is not a steady one; 0: unknown
  std::uint64_t over_twice = 0;             // steady steps longer than twice their median
  std::optional<TimedStep> longest;         // among the steady ones
  std::optional<double> first_over_median;  // duration of the first step, in units of `median_ns`
  std::vector<Segment> segments;            // by step; empty in kNotYet
};

}  // namespace strata::analysis
