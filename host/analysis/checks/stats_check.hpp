// SPDX-License-Identifier: Apache-2.0
// Our levels against torch's own counts of the same moments, DeviceStats (runs recorded with
// `trace.cross_check: true`).
#pragma once

#include <vector>

#include "host/analysis/facts/checks.hpp"
#include "host/analysis/facts/samples.hpp"

namespace strata::analysis {

struct MemoryFacts;

// `facts` are those of the run that `rows` were recorded in, with points, segments and samples.
StatsCheck check_stats(const MemoryFacts& facts, const std::vector<DeviceStatsRow>& rows);

}  // namespace strata::analysis
