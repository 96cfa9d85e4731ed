// SPDX-License-Identifier: Apache-2.0
// The rules for `data`, and for settings that depend on its size.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Adds a problem for each violated rule whose keys are themselves valid, and fills `data.files` and
// `data.samples`. Errors that the trainer would find when it opens the files are reported here, before a
// folder is created, if sizes and headers suffice to find them.
void check_data(const Written& written, RunConfig& config, std::vector<Problem>& problems);

}  // namespace strata::config
