// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// `time` of the page's data (docs/report.md): how the window's steps spent their time, except operators,
// which are listed with their memory; null for a run without times.
nlohmann::json time_data(const analysis::Facts& facts);

}  // namespace strata::report
