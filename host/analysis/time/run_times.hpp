// SPDX-License-Identifier: Apache-2.0
// The input for summaries of a run's times: its operators and activities, each with its place, and which of
// them belong to the window.
#pragma once

#include <vector>

#include "host/analysis/facts/run_interval.hpp"
#include "host/analysis/facts/time_rows.hpp"
#include "host/analysis/facts/time_spans.hpp"
#include "host/analysis/recording/recording.hpp"
#include "host/analysis/time/activity_places.hpp"
#include "host/analysis/time/op_spans.hpp"
#include "host/analysis/time/step_moments.hpp"

namespace strata::analysis {

struct RunTimes {
  // `run` must outlive this.
  RunTimes(const Recording& run, const Window& window);

  bool is_of_window(std::uint32_t step) const;
  bool is_of_window(const OpSpan& op) const { return op.step != kNoRow && is_of_window(op.step); }
  // Work requested by an operator of the window, or, if the requester is unknown, work that began in it.
  bool is_of_window(const ActivityRow& activity, const ActivityPlace& place) const;

  const Recording& run;
  Interval window;
  std::int64_t first_step, last_step;
  StepMoments moments;
  std::vector<OpSpan> ops;
  std::vector<ActivityPlace> places;    // of run.time.activities
  std::vector<std::int64_t> device_ns;  // device time of the work that each operator requested itself
};

}  // namespace strata::analysis
