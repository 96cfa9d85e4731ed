// SPDX-License-Identifier: Apache-2.0
#include "host/cli/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "host/analysis/reading/store_outline.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/cli/late_ranks.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "strata/runtime/recovery.hpp"
#include "strata/runtime/run_stores.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

fs::path own_manifest(const fs::path& store) {
  return store.parent_path() / fmt::format("manifest-{}.json", store.stem().string());
}

// In an untrusted run the folder may be a link: its target does not belong to the run.
bool is_of_the_run(const fs::path& store) {
  std::error_code ignored;
  return !fs::is_symlink(store.parent_path(), ignored);
}

void remove_store(const fs::path& store) {
  if (!is_of_the_run(store)) return;
  std::error_code ignored;
  fs::remove(store, ignored);
  fs::remove(own_manifest(store), ignored);
  fs::remove(store.parent_path(), ignored);  // when it was the last
}

// Discarded if it is missing or not an object.
ordered_json read_manifest(const fs::path& store) {
  std::ifstream stream(own_manifest(store));
  ordered_json manifest = ordered_json::parse(stream, nullptr, false);
  return manifest.is_object() ? manifest : ordered_json(ordered_json::value_t::discarded);
}

// From its manifest; for a process that died, from its store.
std::string lost_of(const analysis::StoreFile& store) {
  const ordered_json manifest = read_manifest(store.path());
  if (manifest.is_object() && manifest.contains("store")) {
    const ordered_json::json_pointer lost("/store/lost");
    return manifest.contains(lost) && manifest[lost].is_string() ? manifest[lost].get<std::string>() : "";
  }
  if (!store.has_table("gap") || !analysis::Query(store, "gap", {"rows"}).next()) return {};
  return "rows of this run are lost, because there was no room for them";
}

void make_manifest_the_ranks(const fs::path& run_directory, const RecordedProcess& process,
                             const CommandEnd& end) {
  ordered_json manifest = read_manifest(process.store);
  if (manifest.is_discarded()) return;  // analysis reports that it is missing
  if (!end.dry.empty()) manifest["dry"] = ordered_json::parse(end.dry);
  if (!end.line.empty()) manifest["command"]["line"] = end.line;
  if (end.exit_code) manifest["command"]["exit_code"] = *end.exit_code;
  if (!is_of_the_run(process.store)) return;
  const fs::path folder = process.rank == 0 ? run_directory : process.store.parent_path();
  write_whole_file(folder / "manifest.json", manifest.dump(2) + '\n');
  fs::permissions(folder / "manifest.json", fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace

std::vector<RecordedProcess> settle_processes(const fs::path& run_directory, const CommandEnd& end) {
  if (find_run_stores(run_directory).empty()) return {};
  for (const RecoveredStore& recovered : recover_run(run_directory)) {
    for (const std::string& problem : recovered.problems) say(problem);
  }
  move_late_ranks(run_directory);
  std::vector<RecordedProcess> processes;
  std::map<std::uint32_t, std::tuple<std::uint64_t, std::uintmax_t, std::size_t>> best;  // by rank
  for (const RunStore& store : find_run_stores(run_directory)) {
    if (store.database.empty()) continue;
    analysis::StoreOutline outline;
    std::string lost;
    try {
      const analysis::StoreFile file(store.database);
      outline = analysis::outline_of(file);
      lost = lost_of(file);
    } catch (const analysis::RunError& error) {
      say(error.what());
      continue;
    }
    if (!outline.holds_anything && outline.steps == 0 && lost.empty()) {
      // It may still contain data, of a running process, or of one whose rows could not be recovered.
      if (store.writer == StoreWriter::kNone) remove_store(store.database);
      continue;
    }
    std::error_code ignored;
    const auto size = std::tuple(outline.steps, fs::file_size(store.database, ignored), processes.size());
    const auto [known, is_first] = best.try_emplace(store.rank, size);
    if (!is_first) known->second = std::max(known->second, size);
    processes.push_back({.rank = store.rank,
                         .pid = store.pid,
                         .steps = outline.steps,
                         .store = store.database,
                         .lost = std::move(lost)});
  }
  for (const auto& [rank, size] : best) {
    RecordedProcess& main = processes[std::get<2>(size)];
    main.is_main = true;
    make_manifest_the_ranks(run_directory, main, end);
  }
  return processes;
}

}  // namespace strata::cli
