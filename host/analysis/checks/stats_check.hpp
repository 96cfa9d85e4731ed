// SPDX-License-Identifier: Apache-2.0
// Our levels against torch's own counts of the same moments, DeviceStats (runs recorded with
// `trace.cross_check: true`).
#pragma once

#include <vector>

#include "host/analysis/facts.hpp"
#include "host/analysis/reading/recording.hpp"

namespace strata::analysis {

// `facts` are those of the run that `rows` were recorded in, with points, segments and samples.
StatsCheck check_stats(const Facts& facts, const std::vector<DeviceStatsRow>& rows);

}  // namespace strata::analysis
