// SPDX-License-Identifier: Apache-2.0
// Follows a run's folder: its stores as they appear, each read from the last position.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/analysis/live/live_store.hpp"

namespace strata::cli {

class FollowedRun {
 public:
  explicit FollowedRun(std::filesystem::path directory) : directory_(std::move(directory)) {}

  const std::filesystem::path& directory() const { return directory_; }

  // Reads new data, for about `budget` in total. Does not change any file.
  void refresh(std::chrono::milliseconds budget);

  // By rank and process; with `rank`, only that one. Empty while there is no store.
  std::vector<analysis::LiveRank> ranks(std::optional<std::uint64_t> rank = {}) const;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // rank and pid
  std::filesystem::path directory_;
  std::map<Key, analysis::LiveStore> stores_;
};

}  // namespace strata::cli
