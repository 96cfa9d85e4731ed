// SPDX-License-Identifier: Apache-2.0
// Stretches of time as sets: what is covered at least once, what two cover together, what neither does.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

// From begin up to, not with, end.
struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
  bool operator==(const Interval&) const = default;
};

// By begin, apart from each other, none empty.
using Intervals = std::vector<Interval>;

// Of any stretches in any order, what at least one covers. Those that end before they begin cover nothing.
Intervals united(std::vector<Interval> stretches);

Intervals intersection(const Intervals& left, const Intervals& right);

// Of `bounds`, what `covered` does not cover.
Intervals gaps(const Intervals& covered, Interval bounds);

std::int64_t length_ns(const Intervals& intervals);

// How much of `stretch` they cover. In O(log n) and what it covers.
std::int64_t covered_ns(const Intervals& intervals, Interval stretch);

}  // namespace strata::analysis
