// SPDX-License-Identifier: Apache-2.0
// The duration of operators' calls in steady steps, and the extra time of their first calls.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/analysis/recording/warm_up_rows.hpp"
#include "host/analysis/warm_up/causes.hpp"

namespace strata::analysis {

struct Recording;

// A call with its own part, excluding timed calls within it.
struct OwnCall {
  const OperatorCall* call = nullptr;
  std::int64_t faults = 0, libraries = 0;
};

class OperatorTimes {
 public:
  // `steady`: the steps to compare with.
  OperatorTimes(const Recording& run, const std::unordered_set<std::int64_t>& steady);

  // Whether operators were recorded in the step.
  bool knows(std::int64_t step) const { return known_steps_.contains(step); }
  // Mean over the steady steps; 0 for an operator that they do not call.
  double usual_ns_a_call(std::uint32_t name) const;
  // For projections (SVD, QR): their time in the step above that in a steady one.
  double projection_excess_ns(std::int64_t step) const;
  std::uint64_t projections(std::int64_t step) const;
  // The timed calls that began between the two, shortest first.
  std::vector<OwnCall> calls(std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Sum {
    double ns = 0.0;
    std::uint64_t calls = 0;
  };
  std::unordered_set<std::int64_t> known_steps_;
  std::unordered_map<std::uint32_t, Sum> steady_;      // by name
  std::unordered_map<std::int64_t, Sum> projections_;  // by step
  double usual_projection_ns_ = 0.0;
  std::vector<OwnCall> calls_;  // by begin
};

}  // namespace strata::analysis
