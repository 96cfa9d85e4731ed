// SPDX-License-Identifier: Apache-2.0
// Where a series changes its level or its spread: PELT (Killick, Fearnhead and Eckley, JASA 2012), exact,
// with the cost of a normal distribution whose mean and variance are both its segment's own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strata::analysis {

struct ChangePointOptions {
  std::size_t shortest_segment = 5;
  double penalty = 0.0;          // of each change; in twice the log likelihood
  double least_variance = 1e-9;  // no segment is taken to vary less
};

// What a segment costs, in twice the negative log likelihood, but for a constant of each value. The variance
// is the likeliest that is not below the least one, so that two parts of a segment never cost more than the
// whole: what PELT relies on to leave candidates out.
class SegmentCosts {
 public:
  SegmentCosts(std::span<const double> values, double least_variance);
  // Of the values begin to end, the last not included.
  double operator()(std::size_t begin, std::size_t end) const;

 private:
  std::vector<double> sums_, squares_;  // of the values before each
  double least_variance_;
};

// The first index of each segment of the cheapest partition, in order; the first is 0. Of no value none; of
// fewer than two segments' length one.
std::vector<std::size_t> find_segments(std::span<const double> values, const ChangePointOptions& options);

}  // namespace strata::analysis
