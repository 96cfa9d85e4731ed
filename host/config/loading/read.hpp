// SPDX-License-Identifier: Apache-2.0
// Written values to the fields of a RunConfig, each by its type.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/schema.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Sets the key's field, or adds a problem. Relative names start where the value was written.
void read_value(const Key& key, const WrittenValue& value, RunConfig& config, std::vector<Problem>& problems);

}  // namespace strata::config
