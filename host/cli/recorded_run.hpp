// SPDX-License-Identifier: Apache-2.0
// A run's folder, or its page, as a command line names it, ready to be read.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cli {

// Moves what a killed process left in its spools into the run store, and says so; of a program that ran with
// what `strata exec --environment` printed, settles whose store is the run's. Returns the whole path. Throws
// UsageError when it is no run.
std::filesystem::path recorded_run(const std::string& named);

}  // namespace strata::cli
