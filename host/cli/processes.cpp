// SPDX-License-Identifier: Apache-2.0
#include "host/cli/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "host/analysis/reading/store_file.hpp"
#include "host/analysis/reading/store_outline.hpp"
#include "host/analysis/recording/run_error.hpp"
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

struct LateRank {
  RunStore store;
  std::uint32_t rank = 0;
};

// A rank's folder has its number; more would be a mistake of the program.
constexpr std::uint32_t kMostRanks = 1U << 20;

std::optional<std::uint32_t> late_rank_of(const fs::path& database) try {
  const analysis::StoreFile file(database);
  if (!file.has_table("torch_rank")) return std::nullopt;
  std::optional<std::uint32_t> rank;
  for (analysis::Query rows(file, "torch_rank", {"rank"}); rows.next();) rank = rows.row().small(0);
  return rank && *rank < kMostRanks ? rank : std::nullopt;
} catch (const analysis::RunError&) {
  return std::nullopt;  // whoever reads the store says why
}

void set_place(const fs::path& store, std::uint32_t rank, std::uint32_t world_size) {
  ordered_json manifest = read_manifest(store);
  if (manifest.is_discarded()) return;
  manifest["process"]["rank"] = rank;
  manifest["process"]["world_size"] = world_size;
  const fs::path file = own_manifest(store);
  write_whole_file(file, manifest.dump(2) + '\n');
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

// The manifest first: a store without one is the run of a process that died.
void move(const LateRank& late, const fs::path& target, std::uint32_t world_size) {
  const fs::path source = late.store.database.parent_path();
  const fs::path database = target / late.store.database.filename();
  if (source != target) {
    fs::create_directories(target);
    if (fs::exists(database) || fs::is_symlink(source) || fs::is_symlink(target)) return;
    fs::rename(own_manifest(late.store.database), own_manifest(database));
    fs::rename(late.store.database, database);
  }
  set_place(database, late.rank, world_size);
}

// Moves each store of a process that was told its rank after it had begun, as torch.multiprocessing.spawn's
// are, and its manifest, from the folder of rank 0 to that of its rank. Call after all processes have ended
// and their stores are recovered. A store that cannot be moved stays where it is.
void move_late_ranks(const fs::path& run_directory) {
  std::vector<LateRank> late;
  std::uint32_t world_size = 1;
  for (RunStore& store : find_run_stores(run_directory)) {
    world_size = std::max(world_size, store.rank + 1);
    if (store.database.empty() || store.writer != StoreWriter::kNone) continue;
    if (const auto rank = late_rank_of(store.database)) {
      world_size = std::max(world_size, *rank + 1);
      late.push_back({std::move(store), *rank});
    }
  }
  const bool moves =
      std::ranges::any_of(late, [](const LateRank& one) { return one.rank != one.store.rank; });
  for (const LateRank& one : late) {
    try {
      if (moves) move(one, run_directory / fmt::format("rank{}", one.rank), world_size);
    } catch (const std::system_error&) {
      // It is still a record of this run, in the folder of another rank.
    }
  }
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
