// SPDX-License-Identifier: Apache-2.0
// Converts written values to fields of a RunConfig, according to their types.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/schema.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Sets the key's field, or adds a problem. Relative names start at the place where the value was written.
void read_value(const Key& key, const WrittenValue& value, RunConfig& config, std::vector<Problem>& problems);

}  // namespace strata::config
