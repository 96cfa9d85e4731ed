// SPDX-License-Identifier: Apache-2.0
// Finds the run to follow.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace strata::cli {

// The run written by the process or one of its children. Throws UsageError if there is none.
std::filesystem::path run_of_process(pid_t pid);

// The most recent run under `runs` (runs/<name>/<time>), running ones first. Throws UsageError if there is
// none.
std::filesystem::path newest_run(const std::filesystem::path& runs);

}  // namespace strata::cli
