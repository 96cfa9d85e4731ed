// SPDX-License-Identifier: Apache-2.0
// Which run is meant.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace strata::cli {

// The run that the process, or one that it started, writes. Throws UsageError when it writes none.
std::filesystem::path run_of_process(pid_t pid);

// Under `runs` (runs/<name>/<time>) the one that began last; one that goes on before all that are over.
// Throws UsageError when there is none.
std::filesystem::path newest_run(const std::filesystem::path& runs);

}  // namespace strata::cli
