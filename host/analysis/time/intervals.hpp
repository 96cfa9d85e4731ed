// SPDX-License-Identifier: Apache-2.0
// Intervals of time as sets: what is covered at least once, what two cover together, what neither does.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/time_spans.hpp"

namespace strata::analysis {

// By begin, apart from each other, none empty.
using Intervals = std::vector<Interval>;

// Of any intervals in any order, what at least one covers. Those that end before they begin cover nothing.
Intervals united(std::vector<Interval> intervals);

Intervals intersection(const Intervals& left, const Intervals& right);

// Of `bounds`, what `covered` does not cover.
Intervals gaps(const Intervals& covered, Interval bounds);

std::int64_t length_ns(const Intervals& intervals);

// How much of `interval` they cover. In O(log n) and what it covers.
std::int64_t covered_ns(const Intervals& intervals, Interval interval);

}  // namespace strata::analysis
