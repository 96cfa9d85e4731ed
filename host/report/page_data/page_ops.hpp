// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// `ops` of the page's data (docs/report.md): operators by memory held at the peak and by time, the largest of
// each.
nlohmann::json ops_data(const analysis::Facts& facts);

}  // namespace strata::report
