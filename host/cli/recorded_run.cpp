// SPDX-License-Identifier: Apache-2.0
#include "host/cli/recorded_run.hpp"

#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/cli/exec/processes.hpp"
#include "host/cli/terminal.hpp"
#include "host/grid/grid_folder.hpp"
#include "strata/runtime/recovery.hpp"

namespace strata::cli {

std::filesystem::path recorded_run(const std::string& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw UsageError(
        fmt::format("{} is not a run: expected the folder that `strata run` named in its last line", folder));
  }
  const std::filesystem::path path = std::filesystem::absolute(folder);
  if (grid::GridFolder(path).has_plan()) {
    throw UsageError(
        fmt::format("{} is a grid, not a run: `strata grid report {}` has its table, and the runs of its "
                    "cells lie in {}/cells",
                    folder, folder, folder));
  }
  for (const RecoveredStore& store : recover_run(folder)) {
    if (store.rows_recovered > 0) {
      say(fmt::format("recovered {} rows of a process that did not end: {}", store.rows_recovered,
                      store.store.string()));
    }
    for (const std::string& problem : store.problems) say(problem);
  }
  // A program's, that nobody waited for.
  if (std::filesystem::exists(path / "exec.json") && !std::filesystem::exists(path / "manifest.json"))
    settle_processes(path, {});
  return path;
}

}  // namespace strata::cli
