// SPDX-License-Identifier: Apache-2.0
#include "host/cli/top/followed_run.hpp"

#include <time.h>

#include "strata/runtime/run_stores.hpp"

namespace strata::cli {
namespace {

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

analysis::LiveWriter live_writer(StoreWriter writer) {
  switch (writer) {
    case StoreWriter::kAlive:
      return analysis::LiveWriter::kAlive;
    case StoreWriter::kGone:
      return analysis::LiveWriter::kGone;
    default:
      return analysis::LiveWriter::kNone;
  }
}

}  // namespace

void FollowedRun::refresh(std::chrono::milliseconds budget) {
  const std::vector<RunStore> found = find_run_stores(directory_);
  if (found.empty()) return;
  const auto each = budget / static_cast<int>(found.size());
  for (const RunStore& store : found) {
    auto& followed =
        stores_.try_emplace({store.rank, store.pid}, directory_, store.rank, store.pid).first->second;
    followed.refresh(store.database, live_writer(store.writer), each);
  }
}

std::vector<analysis::LiveRank> FollowedRun::ranks(std::optional<std::uint64_t> rank) const {
  std::vector<analysis::LiveRank> all;
  const std::int64_t now_ns = monotonic_ns();
  for (const auto& [key, store] : stores_) {
    if (!rank || key.first == *rank) all.push_back(store.view(now_ns));
  }
  return all;
}

}  // namespace strata::cli
