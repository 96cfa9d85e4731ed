// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/driver_time.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "host/analysis/recording/recording.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis {

void DriverTime::add(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t thread) {
  std::vector<const StartActivity*> activities;
  const auto& all = run_.warm_up.activities;
  auto next = std::ranges::lower_bound(all, begin_ns - run_.warm_up.longest_activity_ns, {},
                                       &StartActivity::begin_ns);
  for (; next != all.end() && next->begin_ns < end_ns; ++next) {
    const StartActivity& activity = *next;
    const bool is_here = activity.end_ns > begin_ns;
    const bool is_reported = activity.end_ns == activity.begin_ns && activity.begin_ns >= begin_ns;
    const bool is_its = thread == 0 || activity.thread == 0 || activity.thread == thread;
    if ((is_here || is_reported) && is_its && !activity.is_modelled) activities.push_back(&activity);
  }
  std::ranges::stable_sort(activities, {}, [](const StartActivity* activity) {
    return std::pair(activity->kind == STRATA_ACTIVITY_API, activity->end_ns - activity->begin_ns);
  });
  for (const StartActivity* activity : activities) {
    const std::string_view name = run_.texts[activity->name];
    Sum& sum = sums_.at(static_cast<std::size_t>(cause_of_activity(activity->kind, activity->detail, name)));
    if (activity->kind == STRATA_ACTIVITY_MODULE) {
      ++sum.modules;
      sum.bytes += std::min(activity->bytes, std::uint64_t{1} << 40);
      continue;
    }
    const std::int64_t ns =
        claimed_.claim(std::max(activity->begin_ns, begin_ns), std::min(activity->end_ns, end_ns));
    ++sum.count;
    sum.ns += static_cast<double>(ns);
    if (ns <= sum.longest_ns) continue;
    sum.longest_ns = ns;
    sum.longest = name;
  }
}

std::vector<CauseShare> DriverTime::shares() const {
  std::vector<CauseShare> shares;
  for (std::size_t index = 0; index < kCauses; ++index) {
    const Sum& sum = sums_[index];
    if (sum.ns <= 0.0) continue;
    std::vector<Proof> proofs{{.kind = ProofKind::kActivities,
                               .name = sum.longest,
                               .count = sum.count,
                               .ns = static_cast<double>(sum.longest_ns)}};
    if (sum.modules > 0)
      proofs.push_back({.kind = ProofKind::kModules, .count = sum.modules, .bytes = sum.bytes});
    shares.push_back({static_cast<Cause>(index), sum.ns, sum.count + sum.modules, std::move(proofs)});
  }
  std::ranges::stable_sort(shares, std::ranges::greater{}, &CauseShare::ns);
  return shares;
}

}  // namespace strata::analysis
