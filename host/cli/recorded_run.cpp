// SPDX-License-Identifier: Apache-2.0
#include "host/cli/recorded_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "host/cli/processes.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/nearest.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/report/quantity.hpp"
#include "host/snapshot/run/convert.hpp"
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

// What is in the folder of an earlier conversion.
enum class Earlier { kNone, kCurrent, kOutdated, kOther };

Earlier earlier_conversion(const fs::path& folder, const snapshot::SnapshotFile& file) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(folder, ignored);
  if (!fs::exists(status)) return Earlier::kNone;
  if (!fs::is_directory(status)) return Earlier::kOther;
  std::ifstream stream(folder / "manifest.json");
  const nlohmann::json manifest = nlohmann::json::parse(stream, nullptr, false);
  const auto section = manifest.is_object() ? manifest.find("snapshot") : manifest.end();
  if (section == manifest.end() || !section->is_object()) return Earlier::kOther;
  const bool is_current = section->value("form", nlohmann::json()) == snapshot::kForm &&
                          section->value("bytes", nlohmann::json()) == file.bytes &&
                          section->value("modified_ns", nlohmann::json()) == file.modified_ns &&
                          manifest.value("state", nlohmann::json()) == "closed";
  return is_current ? Earlier::kCurrent : Earlier::kOutdated;
}

fs::path folder_for(const fs::path& file) {
  const std::string name = file.filename().string() + ".run";
  const fs::path beside = file.parent_path() / name;
  std::error_code ignored;
  const bool is_usable = fs::exists(beside, ignored) || access(file.parent_path().c_str(), W_OK | X_OK) == 0;
  return is_usable ? beside : fs::current_path() / name;
}

// Whether it is a file that may be a snapshot of torch.cuda.memory: a pickle by its first byte or its name.
bool may_be_snapshot(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  const std::string ending = file.extension().string();
  if (ending == ".pickle" || ending == ".pkl") return true;
  constexpr int kPickle = 0x80;
  return std::ifstream(file, std::ios::binary).get() == kPickle;
}

// The run made of the snapshot: the folder <file>.run, beside the file or, if that folder is not writable, in
// the current one. It is kept, so that the next command opens it at once, and made again when the file has
// changed. Throws UsageError, or snapshot::SnapshotError if the file is none.
fs::path run_of_snapshot(const fs::path& file) {
  const snapshot::SnapshotFile identity = snapshot::identify(file);
  fs::path folder = folder_for(fs::absolute(file).lexically_normal());
  switch (earlier_conversion(folder, identity)) {
    case Earlier::kCurrent:
      return folder;
    case Earlier::kOther:
      throw UsageError(
          fmt::format("{} exists and is not a run, but the run made from {} must be written there. Move it",
                      folder.string(), file.string()));
    case Earlier::kNone:
    case Earlier::kOutdated:
      break;
  }
  // Under another name until it is complete.
  const fs::path part = fmt::format("{}.part-{}", folder.string(), getpid());
  RunDirectory made = RunDirectory::create(part);
  const snapshot::Conversion conversion = snapshot::convert(file, made.path());
  malloc_trim(0);  // the analysis of a large one needs the memory
  std::error_code error;
  fs::remove_all(folder, error);
  fs::rename(made.path(), folder, error);
  if (error) throw UsageError(fmt::format("{} cannot be created: {}", folder.string(), error.message()));
  made.keep();
  say(fmt::format("{}: made a run from torch's snapshot, {} on {}: {}", file.string(),
                  report::counted(conversion.events, "event", "events"),
                  report::counted(conversion.devices, "device", "devices"), folder.string()));
  return folder;
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
