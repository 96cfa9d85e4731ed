// SPDX-License-Identifier: Apache-2.0
// Compares our running total with an independent count: c10's own memory reports of the same events (runs
// recorded with `trace.cross_check: true`).
#pragma once

#include <vector>

#include "host/analysis/facts/checks.hpp"

namespace strata::analysis {

struct Recording;

// `points` is the timeline of `run`.
CrossCheck cross_check(const Recording& run, const std::vector<Point>& points);

}  // namespace strata::analysis
