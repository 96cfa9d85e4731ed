// SPDX-License-Identifier: Apache-2.0
// Changes of a configuration: settings that change how much memory a training needs, and leave the model
// alone.
#pragma once

#include <vector>

#include "host/config/run_config.hpp"
#include "host/what_if/change.hpp"

namespace strata::what_if {

// Those that would change `config`, whose device is a CUDA one; the first of a group is the least of it.
// Which of them the configuration takes is for the loader to say.
std::vector<Change> switches_of(const config::RunConfig& config);

}  // namespace strata::what_if
