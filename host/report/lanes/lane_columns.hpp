// SPDX-License-Identifier: Apache-2.0
// Lanes as columns of small numbers, packed with those of the allocations (docs/report.md has the layout).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/time_rows.hpp"
#include "host/report/lanes/lanes.hpp"
#include "host/report/stream/event_columns.hpp"

namespace strata::report {

struct LaneColumns {
  std::vector<EventColumns::Section> sections;
  // Matrix products that intervals refer to, each once; with `op` 0.
  std::vector<analysis::ProductRow> products;
};

// Times count from begin_ns.
LaneColumns lane_columns(const analysis::Facts& facts, const Lanes& lanes, std::int64_t begin_ns);

}  // namespace strata::report
