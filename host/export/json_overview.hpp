// SPDX-License-Identifier: Apache-2.0
// The parts of a run's JSON other than its tables.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

nlohmann::ordered_json overview(const analysis::Facts& facts);

}  // namespace strata::exports
