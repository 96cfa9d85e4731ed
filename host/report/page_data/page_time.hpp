// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// `time` of the page's data (docs/report.md): where the time of the window's steps went, but for operators,
// which stand beside their memory; null of a run without times.
nlohmann::json time_data(const analysis::Facts& facts);

}  // namespace strata::report
