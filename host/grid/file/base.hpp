// SPDX-License-Identifier: Apache-2.0
// The common settings of a grid's cells: `base`.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"

namespace strata::grid {

// A run's YAML file, a mapping of its keys, or a list of these: later ones override earlier ones, key by key.
void read_base(const config::WrittenValue& value, config::Written& base,
               std::vector<config::Problem>& problems);

}  // namespace strata::grid
