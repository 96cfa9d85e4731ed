// SPDX-License-Identifier: Apache-2.0
// Checks of the adapter's settings.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

void check_adapter(const Written& written, const RunConfig& config, std::vector<Problem>& problems);

}  // namespace strata::config
