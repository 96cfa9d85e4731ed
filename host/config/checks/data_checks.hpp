// SPDX-License-Identifier: Apache-2.0
// The rules of `data`, and of what depends on how much of it there is.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Adds a problem for each broken rule whose keys are themselves sound, and fills `data.files` and
// `data.samples`. What the trainer would find out when it opens the files is said here, before a folder is
// made, where that takes no more than their sizes and headers.
void check_data(const Written& written, RunConfig& config, std::vector<Problem>& problems);

}  // namespace strata::config
