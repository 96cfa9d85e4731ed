// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// `scopes` of the page's data (docs/report.md): the peaks of run, window, epochs and steps, and the parts of
// the device memory in use at the run's peak.
nlohmann::json scopes_data(const analysis::MemoryFacts& facts);

}  // namespace strata::report
