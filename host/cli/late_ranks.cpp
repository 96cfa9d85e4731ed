// SPDX-License-Identifier: Apache-2.0
#include "host/cli/late_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "host/analysis/reading/store_file.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/cli/run_directory.hpp"
#include "strata/runtime/run_stores.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

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

fs::path manifest_in(const fs::path& folder, std::uint32_t pid) {
  return folder / fmt::format("manifest-{}.json", pid);
}

void set_place(const fs::path& manifest, std::uint32_t rank, std::uint32_t world_size) {
  std::ifstream stream(manifest);
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(stream, nullptr, false);
  if (!document.is_object()) return;
  document["process"]["rank"] = rank;
  document["process"]["world_size"] = world_size;
  write_whole_file(manifest, document.dump(2) + '\n');
  fs::permissions(manifest, fs::perms::owner_read | fs::perms::owner_write);
}

// The manifest first: a store without one is the run of a process that died.
void move(const LateRank& late, const fs::path& target, std::uint32_t world_size) {
  const fs::path source = late.store.database.parent_path();
  const fs::path database = target / late.store.database.filename();
  if (source != target) {
    fs::create_directories(target);
    if (fs::exists(database) || fs::is_symlink(source) || fs::is_symlink(target)) return;
    fs::rename(manifest_in(source, late.store.pid), manifest_in(target, late.store.pid));
    fs::rename(late.store.database, database);
  }
  set_place(manifest_in(target, late.store.pid), late.rank, world_size);
}

}  // namespace

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

}  // namespace strata::cli
