// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// `faults` of the page's data (docs/report.md): errors between trainer, plugins and store, and lost data,
// with counts.
nlohmann::json faults_data(const analysis::Facts& facts);

}  // namespace strata::report
