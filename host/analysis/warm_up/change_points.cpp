// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata::analysis {
namespace {

// A candidate for the begin of the last segment.
struct Candidate {
  std::size_t begin;
  std::size_t useful_until;  // the last end for which it can be the best one
};

}  // namespace

SegmentCosts::SegmentCosts(std::span<const double> values, double least_variance)
    : sums_(values.size() + 1), squares_(values.size() + 1), least_variance_(least_variance) {
  // Around the mean, lest the squares of large and nearly equal values lose their difference.
  double mean = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (std::size_t index = 0; index < values.size(); ++index) {
    const double value = values[index] - mean;
    sums_[index + 1] = sums_[index] + value;
    squares_[index + 1] = squares_[index] + value * value;
  }
}

double SegmentCosts::operator()(std::size_t begin, std::size_t end) const {
  const auto count = static_cast<double>(end - begin);
  const double mean = (sums_[end] - sums_[begin]) / count;
  const double variance = std::max(0.0, (squares_[end] - squares_[begin]) / count - mean * mean);
  return count * (std::log(std::max(variance, least_variance_)) + std::min(1.0, variance / least_variance_));
}

std::vector<std::size_t> find_segments(std::span<const double> values, const ChangePointOptions& options) {
  const std::size_t count = values.size();
  const std::size_t shortest = std::max<std::size_t>(options.shortest_segment, 1);
  if (count == 0) return {};
  if (count < 2 * shortest) return {0};
  const SegmentCosts cost(values, options.least_variance);
  std::vector<double> cheapest(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last_begin(count + 1, 0);
  cheapest[0] = -options.penalty;
  std::vector<Candidate> candidates;
  for (std::size_t end = shortest; end <= count; ++end) {
    if (const std::size_t begin = end - shortest; begin == 0 || begin >= shortest)
      candidates.push_back({begin, count});
    for (const Candidate& candidate : candidates) {
      const double total = cheapest[candidate.begin] + cost(candidate.begin, end) + options.penalty;
      if (total >= cheapest[end]) continue;
      cheapest[end] = total;
      last_begin[end] = candidate.begin;
    }
    // A candidate that is already worse than a change here stays worse wherever a change here is possible:
    // from the shortest segment after it.
    for (Candidate& candidate : candidates) {
      if (cheapest[candidate.begin] + cost(candidate.begin, end) >= cheapest[end])
        candidate.useful_until = std::min(candidate.useful_until, end + shortest - 1);
    }
    std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.useful_until <= end; });
  }
  std::vector<std::size_t> begins;
  for (std::size_t end = count; end > 0; end = last_begin[end]) begins.push_back(last_begin[end]);
  std::ranges::reverse(begins);
  return begins;
}

}  // namespace strata::analysis
