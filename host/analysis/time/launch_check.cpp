// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "host/analysis/time/time_tables.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis {

std::optional<LaunchCheck> check_launches(const RunTimes& times) {
  const auto& activities = times.run.time.activities;
  std::set<std::uint64_t> launched, worked;  // by correlation, of the whole run
  LaunchCheck check;
  for (const ActivityRow& activity : activities) {
    if (activity.kind == STRATA_ACTIVITY_API && (activity.detail & STRATA_API_LAUNCHES) != 0)
      launched.insert(activity.correlation);
    if (activity.kind == STRATA_ACTIVITY_KERNEL || activity.kind == STRATA_ACTIVITY_GRAPH ||
        activity.graph != 0)
      worked.insert(activity.correlation);
  }
  for (std::size_t index = 0; index < activities.size(); ++index) {
    const ActivityRow& activity = activities[index];
    if (!times.is_of_window(activity, times.places[index])) continue;
    const bool launches =
        activity.kind == STRATA_ACTIVITY_API && (activity.detail & STRATA_API_LAUNCHES) != 0;
    const bool works = activity.kind == STRATA_ACTIVITY_KERNEL || activity.kind == STRATA_ACTIVITY_GRAPH;
    check.launches += launches;
    check.work += works;
    check.launches_unanswered += launches && !worked.contains(activity.correlation);
    check.work_unasked += works && !launched.contains(activity.correlation);
  }
  if (check.launches == 0 && check.work == 0) return std::nullopt;
  return check;
}

}  // namespace strata::analysis
