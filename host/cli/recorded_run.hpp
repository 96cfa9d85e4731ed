// SPDX-License-Identifier: Apache-2.0
// Resolves a run's folder, its page, or a snapshot of torch.cuda.memory, from the command line and prepares
// it for reading.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cli {

// Moves rows from a killed process's spools to the run store, with a message. For a program run with the
// output of `strata exec --environment`, decides which store is the run's. Makes a run of a snapshot. Returns
// the absolute path. Throws UsageError if it is not a run.
std::filesystem::path recorded_run(const std::string& named);

}  // namespace strata::cli
