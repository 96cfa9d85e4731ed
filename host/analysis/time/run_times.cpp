// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/run_times.hpp"

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

RunTimes::RunTimes(const Recording& recording, const Window& of)
    : run(recording),
      window{of.begin_ns, of.end_ns},
      first_step(of.first_step),
      last_step(of.last_step),
      moments(recording),
      ops(op_spans(recording, moments)),
      places(ActivityFinder(recording, moments, ops).places()),
      device_ns(ops.size(), 0) {
  for (std::size_t index = 0; index < places.size(); ++index) {
    const ActivityRow& activity = run.time.activities[index];
    if (is_device_work(activity.kind) && places[index].op != kNoRow)
      device_ns[places[index].op] += activity.end_ns - activity.begin_ns;
  }
}

bool RunTimes::is_of_window(std::uint32_t step) const {
  const std::int64_t index = run.steps[step].step;
  return index >= first_step && index <= last_step;
}

bool RunTimes::is_of_window(const ActivityRow& activity, const ActivityPlace& place) const {
  if (place.op != kNoRow) return is_of_window(ops[place.op]);
  return activity.begin_ns >= window.begin_ns && activity.begin_ns < window.end_ns;
}

}  // namespace strata::analysis
