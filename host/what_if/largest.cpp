// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/largest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace strata::what_if {
namespace {

// Predictions that did not halve the remaining range, before its middle is tried.
constexpr int kPredictions = 2;

// Counts the range's values from 0.
class Search {
 public:
  Search(const Range& range, std::uint64_t capacity_bytes, std::int64_t start)
      : stride_(range.stride),
        first_((range.lowest + range.stride - 1) / range.stride),
        end_(range.highest / range.stride - first_ + 1),
        capacity_(static_cast<double>(capacity_bytes)),
        start_(std::clamp<std::int64_t>(start / range.stride - first_, 0, end_ - 1)) {
    if (end_ < 1) throw std::invalid_argument("no value to try");
  }

  bool is_done() const { return low_ + 1 == high_; }

  // Strictly between what fits and what does not.
  std::int64_t next() {
    if (result_.tried.empty()) return start_;
    const std::int64_t gap = high_ - low_;
    if (gap * 2 <= gap_before_) predictions_ = 0;
    gap_before_ = gap;
    const auto predicted = predictions_ < kPredictions ? predict() : std::nullopt;
    predictions_ = predicted ? predictions_ + 1 : 0;
    return std::clamp(predicted ? *predicted : middle(), low_ + 1, high_ - 1);
  }

  std::int64_t value(std::int64_t index) const { return (first_ + index) * stride_; }

  void tell(std::int64_t index, const Trial& trial) {
    result_.tried.push_back(trial);
    if (!trial.fits) {
      high_ = index;
      has_failed_ = true;
      return;
    }
    second_ = largest_;
    second_index_ = low_;
    largest_ = trial;
    low_ = index;
  }

  Found result() {
    result_.best = largest_;
    if (high_ < end_) result_.next = value(high_);
    return std::move(result_);
  }

 private:
  // Where the line through the two largest fitting values reaches the capacity.
  std::optional<std::int64_t> predict() const {
    if (!largest_ || !second_ || largest_->needed_bytes <= second_->needed_bytes) return std::nullopt;
    const double slope = static_cast<double>(largest_->needed_bytes - second_->needed_bytes) /
                         static_cast<double>(low_ - second_index_);
    const double more = (capacity_ - static_cast<double>(largest_->needed_bytes)) / slope;
    if (more < 1.0) return low_ + 1;
    if (more >= static_cast<double>(high_ - low_)) return high_ - 1;
    return low_ + static_cast<std::int64_t>(more);
  }

  // The middle of the values and not of their memory, whose scale is unknown.
  std::int64_t middle() const {
    if (!has_failed_) return 2 * (low_ + first_) - first_;
    if (!largest_) return (first_ + high_) / 2 - first_;
    return low_ + (high_ - low_) / 2;
  }

  std::int64_t stride_, first_, end_;
  double capacity_;
  std::int64_t start_;
  std::int64_t low_ = -1, high_ = end_;  // fits; does not fit, or is after the last
  bool has_failed_ = false;
  std::int64_t gap_before_ = 0;
  int predictions_ = 0;
  std::optional<Trial> largest_, second_;
  std::int64_t second_index_ = -1;
  Found result_;
};

}  // namespace

Found find_largest(const Range& range, std::uint64_t capacity_bytes, std::int64_t start,
                   const std::function<Trial(std::int64_t)>& measure) {
  Search search(range, capacity_bytes, start);
  while (!search.is_done()) {
    const std::int64_t index = search.next();
    search.tell(index, measure(search.value(index)));
  }
  return search.result();
}

Found find_fewest(const std::vector<std::int64_t>& candidates,
                  const std::function<Trial(std::int64_t)>& measure) {
  if (candidates.empty()) throw std::invalid_argument("no value to try");
  Found found;
  std::size_t too_few = 0, enough = candidates.size();  // numbers of candidates
  while (too_few < enough) {
    const std::size_t middle = (too_few + enough) / 2;
    const Trial trial = measure(candidates[middle]);
    found.tried.push_back(trial);
    if (trial.fits) {
      enough = middle;
      found.best = trial;
    } else {
      too_few = middle + 1;
    }
  }
  if (too_few > 0) found.next = candidates[too_few - 1];
  return found;
}

}  // namespace strata::what_if
