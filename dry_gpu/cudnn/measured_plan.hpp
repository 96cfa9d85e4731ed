// SPDX-License-Identifier: Apache-2.0
// Execution plans with a workspace reported by the real cuDNN. A caller that makes several plans of one graph
// at a time, like torch in its benchmark mode, runs them all and keeps the fastest. Which one is fastest on a
// real GPU is unknown here. The one with the largest workspace is made the fastest, so that the result is an
// upper bound.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace strata::dry_gpu {

// The live plans of one graph.
struct LivePlans {
  std::atomic<int> count = 0;
  std::atomic<bool> are_compared = false;  // several existed when one was run
};

class MeasuredPlan {
 public:
  // `is_fitted`: a formula contributed to the size.
  MeasuredPlan(std::shared_ptr<LivePlans> of_graph, std::int64_t workspace_bytes, bool is_fitted = false)
      : live_(std::move(of_graph)), workspace_bytes_(workspace_bytes), is_fitted_(is_fitted) {
    ++live_->count;
  }
  ~MeasuredPlan() { --live_->count; }
  MeasuredPlan(const MeasuredPlan&) = delete;
  MeasuredPlan& operator=(const MeasuredPlan&) = delete;

  std::int64_t workspace_bytes() const { return workspace_bytes_; }
  bool is_fitted() const { return is_fitted_; }

  struct Execution {
    bool is_compared;       // with other plans of its graph, now or before
    std::int64_t added_ns;  // added for timing comparisons: less for larger workspaces; else 0
  };
  // [any thread]
  Execution execute() const {
    const bool among_others = live_->count > 1;
    if (among_others) live_->are_compared = true;
    // About a millisecond without a workspace, one nanosecond less per KiB.
    const std::int64_t ns = (std::int64_t{1} << 50) / ((std::int64_t{1} << 30) + workspace_bytes_);
    return {.is_compared = live_->are_compared, .added_ns = among_others ? ns : 0};
  }

 private:
  const std::shared_ptr<LivePlans> live_;
  const std::int64_t workspace_bytes_;
  const bool is_fitted_;
};

}  // namespace strata::dry_gpu
