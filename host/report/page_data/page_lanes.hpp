// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"
#include "host/report/lanes/lane_columns.hpp"

namespace strata::report {

// `lanes` of the page's data (docs/report.md): the description of `columns`. Times count from begin_ns.
nlohmann::json lanes_data(const analysis::Facts& facts, const Lanes& lanes, const LaneColumns& columns);

}  // namespace strata::report
