// SPDX-License-Identifier: Apache-2.0
// The operator, layer and phase under which each activity was requested: as reported by its source, or else
// from the thread and time of its API call.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/time_rows.hpp"
#include "host/analysis/facts/time_spans.hpp"
#include "host/analysis/time/op_spans.hpp"

namespace strata::analysis {

struct Recording;

// Data of a run for looking up activities.
class ActivityFinder {
 public:
  // All arguments must outlive this.
  ActivityFinder(const Recording& run, const StepMoments& moments, const std::vector<OpSpan>& spans);

  // One place for each of run.time.activities.
  std::vector<ActivityPlace> places() const;

  // The two methods, for `places` and for tests that compare them. Both set `call`.
  ActivityPlace by_fields(std::uint32_t activity) const;
  ActivityPlace by_call(std::uint32_t activity) const;

 private:
  // Index of the thread's innermost operator at that moment, or kNoRow.
  std::uint32_t op_at(std::uint32_t thread, std::int64_t ns) const;
  std::uint32_t call_of(const ActivityRow& activity) const;

  struct ThreadOp {
    std::uint32_t thread;
    std::int64_t begin_ns;
    std::uint32_t op;
    auto operator<=>(const ThreadOp&) const = default;
  };
  struct Call {
    std::uint64_t correlation;
    std::uint32_t activity;
    auto operator<=>(const Call&) const = default;
  };

  const Recording& run_;
  const StepMoments& moments_;
  const std::vector<OpSpan>& spans_;
  std::vector<ThreadOp> thread_ops_;                        // sorted
  std::vector<Call> calls_;                                 // sorted
  std::unordered_map<std::uint32_t, std::uint32_t> paths_;  // of modules by ordinal
};

}  // namespace strata::analysis
