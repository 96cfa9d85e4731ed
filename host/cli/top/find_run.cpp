// SPDX-License-Identifier: Apache-2.0
#include "host/cli/top/find_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/cli/run_directory.hpp"
#include "host/cli/usage_error.hpp"
#include "strata/runtime/run_stores.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// It and all that it started; the kernel lists the children of each thread.
std::vector<pid_t> family_of(pid_t pid) {
  std::vector<pid_t> family{pid};
  for (std::size_t i = 0; i < family.size(); ++i) {
    std::error_code gone;
    for (const fs::directory_entry& thread :
         fs::directory_iterator(fmt::format("/proc/{}/task", family[i]), gone)) {
      std::ifstream children(thread.path() / "children");
      for (pid_t child = 0; children >> child;) family.push_back(child);
    }
  }
  return family;
}

// <run>/rank<k>/<pid>.sqlite, open in the process. A store that is built in the temporary folder of the
// machine names no run.
std::optional<fs::path> run_written_by(pid_t pid) {
  std::error_code gone;
  for (const fs::directory_entry& open : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), gone)) {
    const fs::path file = fs::read_symlink(open.path(), gone);
    const bool is_store = file.filename() == fmt::format("{}.sqlite", pid);
    if (is_store && file.parent_path().filename().string().starts_with("rank"))
      return file.parent_path().parent_path();
  }
  return std::nullopt;
}

bool goes_on(const fs::path& run) {
  return std::ranges::any_of(find_run_stores(run),
                             [](const RunStore& store) { return store.writer == StoreWriter::kAlive; });
}

// When the first of its ranks came: folders are not written to again later.
fs::file_time_type begin_of(const fs::path& run) {
  fs::file_time_type begin = fs::file_time_type::max();
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(run, ignored)) {
    if (entry.path().filename() == "config.yaml" || entry.path().filename().string().starts_with("rank"))
      begin = std::min(begin, entry.last_write_time(ignored));
  }
  return begin;
}

}  // namespace

fs::path run_of_process(pid_t pid) {
  std::error_code ignored;
  if (!fs::exists(fmt::format("/proc/{}", pid), ignored))
    throw UsageError(fmt::format("--pid {}: no such process; name the folder of its run instead", pid));
  for (const pid_t each : family_of(pid)) {
    if (const auto run = run_written_by(each)) return *run;
  }
  throw UsageError(
      fmt::format("--pid {}: neither this process nor its children have a visible run store open; name the "
                  "folder of its run instead",
                  pid));
}

fs::path newest_run(const fs::path& runs) {
  using Newest = std::tuple<bool, fs::file_time_type, fs::path>;
  std::optional<Newest> newest;
  std::error_code ignored;
  for (const fs::directory_entry& name : fs::directory_iterator(runs, ignored)) {
    if (!name.is_directory(ignored)) continue;
    for (const fs::directory_entry& run : fs::directory_iterator(name.path(), ignored)) {
      if (!run.is_directory(ignored) || !RunDirectory::has_rank(run.path())) continue;
      Newest candidate{goes_on(run.path()), begin_of(run.path()), run.path()};
      if (!newest || candidate > *newest) newest = std::move(candidate);
    }
  }
  if (!newest) {
    throw UsageError(fmt::format("no run under {}; start one with `strata run`, or name the folder of one",
                                 fs::absolute(runs).string()));
  }
  return std::get<fs::path>(*newest);
}

}  // namespace strata::cli
