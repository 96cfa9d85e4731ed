// SPDX-License-Identifier: Apache-2.0
// Time intervals as sets: union, intersection, and gaps.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/time_spans.hpp"

namespace strata::analysis {

// By begin, disjoint, none empty.
using Intervals = std::vector<Interval>;

// The union of any intervals in any order. Intervals that end before they begin are ignored.
Intervals united(std::vector<Interval> intervals);

Intervals intersection(const Intervals& left, const Intervals& right);

// The part of `bounds` not covered by `covered`.
Intervals gaps(const Intervals& covered, Interval bounds);

std::int64_t length_ns(const Intervals& intervals);

// How much of `interval` they cover. O(log n) plus the number of covered intervals.
std::int64_t covered_ns(const Intervals& intervals, Interval interval);

}  // namespace strata::analysis
