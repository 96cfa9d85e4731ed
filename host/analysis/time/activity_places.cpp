// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/activity_places.hpp"

#include <algorithm>

#include "host/analysis/recording/recording.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis {

ActivityFinder::ActivityFinder(const Recording& run, const StepMoments& moments,
                               const std::vector<OpSpan>& spans)
    : run_(run), moments_(moments), spans_(spans) {
  if (run.time.activities.empty()) return;
  thread_ops_.reserve(spans.size());
  for (std::uint32_t op = 0; op < spans.size(); ++op)
    thread_ops_.push_back({spans[op].thread, spans[op].begin_ns, op});
  std::ranges::sort(thread_ops_);
  for (const ModuleRow& module : run.modules) paths_.emplace(module.ordinal, module.path);
  for (std::uint32_t index = 0; index < run.time.activities.size(); ++index) {
    const ActivityRow& activity = run.time.activities[index];
    if (activity.kind == STRATA_ACTIVITY_API && activity.correlation != 0)
      calls_.push_back({activity.correlation, index});
  }
  std::ranges::sort(calls_);
}

std::uint32_t ActivityFinder::op_at(std::uint32_t thread, std::int64_t ns) const {
  const auto next = std::ranges::upper_bound(thread_ops_, ThreadOp{thread, ns, UINT32_MAX});
  if (next == thread_ops_.begin() || std::prev(next)->thread != thread) return kNoRow;
  // The last to begin: it, or one around it, is the innermost that is open still.
  std::uint32_t op = std::prev(next)->op;
  while (op != kNoRow && spans_[op].end_ns <= ns) op = spans_[op].parent;
  return op;
}

std::uint32_t ActivityFinder::call_of(const ActivityRow& activity) const {
  if (activity.correlation == 0 || !is_device_work(activity.kind)) return kNoRow;
  const auto found = std::ranges::lower_bound(calls_, activity.correlation, {}, &Call::correlation);
  return found == calls_.end() || found->correlation != activity.correlation ? kNoRow : found->activity;
}

ActivityPlace ActivityFinder::by_fields(std::uint32_t activity) const {
  const ActivityRow& row = run_.time.activities[activity];
  ActivityPlace place{.call = call_of(row)};
  if (const auto op = row.op == 0 ? std::nullopt : find_op(spans_, row.op)) {
    place.op = *op;
    place.layer = spans_[*op].layer;
    place.phase = spans_[*op].phase;
  }
  if (const auto phase = moments_.phase_of_ordinal(row.phase)) place.phase = *phase;
  if (const auto module = paths_.find(row.module); place.layer == 0 && module != paths_.end())
    place.layer = module->second;
  return place;
}

ActivityPlace ActivityFinder::by_call(std::uint32_t activity) const {
  const ActivityRow& row = run_.time.activities[activity];
  ActivityPlace place{.call = call_of(row)};
  const ActivityRow* const asked_for = place.call != kNoRow       ? &run_.time.activities[place.call]
                                       : is_device_work(row.kind) ? nullptr
                                                                  : &row;
  if (asked_for == nullptr) return place;
  place.op = op_at(asked_for->thread, asked_for->begin_ns);
  if (place.op != kNoRow) place.layer = spans_[place.op].layer;
  place.phase = moments_.phase_at(asked_for->begin_ns).value_or(kNoRow);
  return place;
}

std::vector<ActivityPlace> ActivityFinder::places() const {
  std::vector<ActivityPlace> places;
  places.reserve(run_.time.activities.size());
  for (std::uint32_t index = 0; index < run_.time.activities.size(); ++index) {
    ActivityPlace place = by_fields(index);
    if (place.op == kNoRow || place.phase == kNoRow) {
      const ActivityPlace called = by_call(index);
      if (place.op == kNoRow) place.op = called.op;
      if (place.phase == kNoRow) place.phase = called.phase;
      if (place.layer == 0) place.layer = called.layer;
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace strata::analysis
