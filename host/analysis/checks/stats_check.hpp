// SPDX-License-Identifier: Apache-2.0
// Compares our values with torch's own counts at the same moments, DeviceStats (runs recorded with
// `trace.cross_check: true`).
#pragma once

#include <vector>

#include "host/analysis/facts/checks.hpp"
#include "host/analysis/facts/samples.hpp"

namespace strata::analysis {

struct MemoryFacts;

// `facts` belong to the run in which `rows` were recorded, with points, segments and samples.
StatsCheck check_stats(const MemoryFacts& facts, const std::vector<DeviceStatsRow>& rows);

}  // namespace strata::analysis
