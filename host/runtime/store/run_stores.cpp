// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/run_stores.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>

#include "host/runtime/file_lock.hpp"
#include "host/runtime/store/store_place.hpp"
#include "strata/runtime/whole_number.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;

// A process takes the lock right after it has made the folder: without a lock file it is about to.
StoreWriter writer_of(const StorePlace& place) {
  std::error_code ignored;
  if (!fs::exists(place.spool_folder(), ignored)) return StoreWriter::kNone;
  if (!fs::exists(place.owner_file(), ignored)) return StoreWriter::kAlive;
  return FileLock::is_held(place.owner_file()) ? StoreWriter::kAlive : StoreWriter::kGone;
}

RunStore look_at(const fs::path& rank_folder, std::uint32_t rank, std::uint32_t pid) {
  RunStore store{.rank = rank, .pid = pid, .database = {}, .writer = StoreWriter::kElsewhere};
  const std::optional<StorePlace> place = StorePlace::find(rank_folder, pid);
  if (!place) return store;
  store.database = place->database();
  store.writer = writer_of(*place);
  return store;
}

void find_in_rank(const fs::path& rank_folder, std::uint32_t rank, std::vector<RunStore>& stores) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(rank_folder, ignored)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".sqlite" && extension != ".local") continue;
    const auto pid = whole_number(entry.path().stem().string());
    const auto same = [&](const RunStore& store) { return store.rank == rank && store.pid == pid; };
    if (pid && std::ranges::none_of(stores, same)) stores.push_back(look_at(rank_folder, rank, *pid));
  }
}

}  // namespace

std::vector<RunStore> find_run_stores(const fs::path& run_directory) {
  std::vector<RunStore> stores;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(run_directory, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto rank =
        name.starts_with("rank") ? whole_number(std::string_view(name).substr(4)) : std::nullopt;
    if (rank) find_in_rank(entry.path(), *rank, stores);
  }
  std::ranges::sort(stores, {}, [](const RunStore& store) { return std::tuple(store.rank, store.pid); });
  return stores;
}

}  // namespace strata
