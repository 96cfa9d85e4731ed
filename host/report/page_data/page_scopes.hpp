// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// `scopes` of the page's data (docs/report.md): the peaks of run, window, epochs and steps, and how what the
// device had in use at the run's peak adds up.
nlohmann::json scopes_data(const analysis::MemoryFacts& facts);

}  // namespace strata::report
