// SPDX-License-Identifier: Apache-2.0
// Runs cells of a grid's folder until none is left: the final part of run, resume and retry.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/grid/folder_lock.hpp"
#include "host/grid/grid_folder.hpp"

namespace strata::cli {

// Throws UsageError that names the holder.
grid::FolderLock lock_grid(const std::filesystem::path& folder);

// Runs the planned cells among `states` except `left_out`, prints progress on standard error, and prints the
// table or `status --json` on standard output. Returns the exit code: kDone if each cell has a result
// (including out of memory), kFailed if one failed or could not be run, kSignalBase + the signal that
// interrupted it.
int work_on(const grid::GridFolder& folder, const grid::Plan& plan, std::vector<grid::CellState> states,
            bool json, const std::vector<std::size_t>& left_out = {});

}  // namespace strata::cli
