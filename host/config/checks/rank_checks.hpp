// SPDX-License-Identifier: Apache-2.0
// Settings that are impossible with several ranks.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Adds to `problems`, each at the key that must be changed.
void check_ranks(const Written& written, const RunConfig& config, std::vector<Problem>& problems);

}  // namespace strata::config
