// SPDX-License-Identifier: Apache-2.0
// Changes to a configuration: settings that affect the memory of a training without changing the model.
#pragma once

#include <vector>

#include "host/config/run_config.hpp"
#include "host/what_if/change.hpp"

namespace strata::what_if {

// Those that would change `config`, whose device is a CUDA one; the first of a group is the mildest. The
// loader checks which of them the configuration accepts.
std::vector<Change> switches_of(const config::RunConfig& config);

}  // namespace strata::what_if
