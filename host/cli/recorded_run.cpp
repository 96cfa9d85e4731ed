// SPDX-License-Identifier: Apache-2.0
#include "host/cli/recorded_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "host/cli/processes.hpp"
#include "host/cli/snapshot_run.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/nearest.hpp"
#include "host/grid/grid_folder.hpp"
#include "strata/runtime/recovery.hpp"

namespace strata::cli {

namespace {

namespace fs = std::filesystem;

bool holds_ranks(const fs::path& folder) {
  return std::ranges::any_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    return entry.is_directory() && entry.path().filename().string().starts_with("rank");
  });
}

// The folder of runs that was named instead of one of them: which there are, the first few.
std::string runs_within(const std::string& folder) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && holds_ranks(entry.path()))
      runs.push_back(entry.path().lexically_normal().string());
  }
  std::ranges::sort(runs);
  const std::size_t more = runs.size() - std::min(runs.size(), kNamed);
  runs.resize(runs.size() - more);
  if (runs.empty()) return {};
  return fmt::format("; runs in it: {}{}", fmt::join(runs, ", "),
                     more > 0 ? fmt::format(", and {} more", more) : "");
}

// Suggests a folder next to the missing one.
std::string neighbour_text(const std::string& named) {
  const fs::path path = fs::path(named).lexically_normal();
  const std::string meant = config::nearest_beside(path.has_filename() ? path : path.parent_path(),
                                                   [](const fs::directory_entry& entry) {
                                                     std::error_code ignored;
                                                     return entry.is_directory(ignored);
                                                   });
  return meant.empty() ? "" : fmt::format(". Did you mean '{}'?", meant);
}

// A run's page stands for its folder, as do other files for the whole run in it.
fs::path folder_of(const std::string& named) {
  const fs::path path = fs::absolute(named).lexically_normal();
  const fs::path inner = path.has_filename() ? path : path.parent_path();
  const std::string name = inner.filename().string();
  const bool is_file = (name == "report.html" || name == "summary.json" || name == "manifest.json") &&
                       fs::is_regular_file(inner);
  const bool is_rank = name.starts_with("rank") && fs::is_directory(inner) && !holds_ranks(inner);
  return is_file || is_rank ? inner.parent_path() : path;
}

}  // namespace

std::filesystem::path recorded_run(const std::string& named) {
  if (named.empty()) throw UsageError("expected the folder of a run, found an empty name");
  if (may_be_snapshot(named)) return run_of_snapshot(named);
  fs::path path = folder_of(named);
  if (!fs::exists(path)) throw UsageError(fmt::format("no run {}{}", named, neighbour_text(named)));
  if (!fs::is_directory(path)) {
    throw UsageError(fmt::format(
        "{} is not a run: expected the folder that holds rank0 and usually report.html, that page, or a "
        "snapshot of torch.cuda.memory._dump_snapshot()",
        named));
  }
  if (grid::GridFolder(path).has_plan()) {
    throw UsageError(
        fmt::format("{} is a grid, not a run: `strata grid report {}` shows its table; the runs of its cells "
                    "are in {}/cells",
                    named, named, named));
  }
  if (!holds_ranks(path))
    throw UsageError(fmt::format("{} is not a run: it has no folder rank0{}", named, runs_within(named)));
  for (const RecoveredStore& store : recover_run(path)) {
    if (store.rows_recovered > 0) {
      say(fmt::format("recovered {} rows of a process that was killed: {}", store.rows_recovered,
                      store.store.string()));
    }
    for (const std::string& problem : store.problems) say(problem);
  }
  // A program that was not run by `strata exec` itself.
  if (std::filesystem::exists(path / "exec.json") && !std::filesystem::exists(path / "manifest.json"))
    settle_processes(path, {});
  return path;
}

}  // namespace strata::cli
