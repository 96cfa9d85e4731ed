// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/processes.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "host/analysis/run_error.hpp"
#include "host/analysis/store_outline.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "strata/runtime/recovery.hpp"
#include "strata/runtime/run_stores.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

fs::path own_manifest(const fs::path& store) {
  return store.parent_path() / fmt::format("manifest-{}.json", store.stem().string());
}

void remove_store(const fs::path& store) {
  std::error_code ignored;
  fs::remove(store, ignored);
  fs::remove(own_manifest(store), ignored);
  fs::remove(store.parent_path(), ignored);  // when it was the last
}

void make_manifest_the_ranks(const fs::path& run_directory, const RecordedProcess& process,
                             const fs::path& store, const std::string& dry) {
  std::ifstream stream(own_manifest(store));
  auto manifest = nlohmann::ordered_json::parse(stream, nullptr, false);
  if (manifest.is_discarded()) return;  // analysis says that there is none
  if (!dry.empty()) manifest["dry"] = nlohmann::ordered_json::parse(dry);
  const fs::path folder = process.rank == 0 ? run_directory : store.parent_path();
  write_whole_file(folder / "manifest.json", manifest.dump(2) + '\n');
}

}  // namespace

std::vector<RecordedProcess> settle_processes(const fs::path& run_directory, const std::string& dry) {
  if (find_run_stores(run_directory).empty()) return {};
  for (const RecoveredStore& recovered : recover_run(run_directory)) {
    for (const std::string& problem : recovered.problems) say(problem);
  }
  std::vector<RecordedProcess> processes;
  std::map<std::uint32_t, std::tuple<std::uint64_t, std::uintmax_t, std::size_t>> best;  // by rank
  std::map<std::uint32_t, fs::path> stores;                                              // by pid
  for (const RunStore& store : find_run_stores(run_directory)) {
    if (store.database.empty()) continue;
    analysis::StoreOutline outline;
    try {
      outline = analysis::outline_of(analysis::StoreFile(store.database));
    } catch (const analysis::RunError& error) {
      say(error.what());
      continue;
    }
    if (!outline.holds_anything && outline.steps == 0) {
      if (kill(static_cast<pid_t>(store.pid), 0) == 0) continue;  // it may yet hold something
      remove_store(store.database);
      continue;
    }
    std::error_code ignored;
    const auto size = std::tuple(outline.steps, fs::file_size(store.database, ignored), processes.size());
    const auto [known, is_first] = best.try_emplace(store.rank, size);
    if (!is_first) known->second = std::max(known->second, size);
    stores[store.pid] = store.database;
    processes.push_back({.rank = store.rank, .pid = store.pid, .steps = outline.steps});
  }
  for (const auto& [rank, size] : best) {
    RecordedProcess& main = processes[std::get<2>(size)];
    main.is_main = true;
    make_manifest_the_ranks(run_directory, main, stores.at(main.pid), dry);
  }
  return processes;
}

}  // namespace strata::cli
