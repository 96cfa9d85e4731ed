// SPDX-License-Identifier: Apache-2.0
// Finds where a series changes its mean or variance: PELT (Killick, Fearnhead and Eckley, JASA 2012), exact,
// with the cost of a normal distribution with a separate mean and variance for each segment.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strata::analysis {

struct ChangePointOptions {
  std::size_t shortest_segment = 5;
  double penalty = 0.0;          // per change; in twice the log likelihood
  double least_variance = 1e-9;  // lower limit of a segment's variance
};

// The cost of a segment: twice the negative log likelihood, up to a constant per value. The variance is the
// maximum likelihood one, but at least the minimum, so that two parts of a segment never cost more than the
// whole. PELT relies on that for pruning.
class SegmentCosts {
 public:
  SegmentCosts(std::span<const double> values, double least_variance);
  // For the values [begin, end).
  double operator()(std::size_t begin, std::size_t end) const;

 private:
  std::vector<double> sums_, squares_;  // of the values before each index
  double least_variance_;
};

// The first index of each segment of the cheapest partition, in order; the first is 0. Empty without values;
// a single segment for fewer than two segments' length.
std::vector<std::size_t> find_segments(std::span<const double> values, const ChangePointOptions& options);

}  // namespace strata::analysis
