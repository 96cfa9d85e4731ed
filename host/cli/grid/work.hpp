// SPDX-License-Identifier: Apache-2.0
// Cells of a grid's folder are run until none is left: what run, resume and retry do in the end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/grid/grid_folder.hpp"
#include "host/grid/processes/folder_lock.hpp"

namespace strata::cli {

// Throws UsageError that says who holds it.
grid::FolderLock lock_grid(const std::filesystem::path& folder);

// Runs the planned ones among `states` but for `left_out`, tells how it went on standard error, and prints
// the table to standard output, or `status --json`. Returns the exit code: kDone when each cell has a result
// (also out of memory), kFailed when one has failed or could not be run, kSignalBase + the signal that
// interrupted it.
int work_on(const grid::GridFolder& folder, const grid::Plan& plan, std::vector<grid::CellState> states,
            bool json, const std::vector<std::size_t>& left_out = {});

}  // namespace strata::cli
