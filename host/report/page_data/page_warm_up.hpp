// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// `warm_up` of the page's data (docs/report.md): the first steady step of the run, and the extra time of the
// steps before it.
nlohmann::json warm_up_data(const analysis::Facts& facts);

}  // namespace strata::report
