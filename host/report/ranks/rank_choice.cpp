// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_choice.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace strata::report {
namespace {

constexpr std::size_t kShownOneByOne = 16, kShownOfAKind = 4;

}  // namespace

std::vector<std::size_t> shown_ranks(const analysis::JobFacts& job) {
  std::vector<std::size_t> all(job.ranks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= kShownOneByOne) return all;
  std::set<std::size_t> shown{0, job.imbalance.heaviest, job.imbalance.lightest};
  const auto unknown = [&](std::size_t rank) { return job.ranks[rank].most_unknown_bytes; };
  if (const std::size_t most = std::ranges::max(all, {}, unknown); unknown(most) > 0) shown.insert(most);
  std::size_t odd = 0;
  for (const std::size_t rank : all) {
    if (job.ranks[rank].end != analysis::RunEnd::kDone && odd++ < kShownOfAKind) shown.insert(rank);
  }
  for (std::size_t each = 0; each < std::min(job.stragglers.ranks.size(), kShownOfAKind); ++each)
    shown.insert(job.stragglers.ranks[each].rank);
  return {shown.begin(), shown.end()};
}

std::vector<std::size_t> drawn_ranks(const analysis::JobFacts& job, std::size_t most) {
  const std::size_t count = job.ranks.size();
  std::set<std::size_t> drawn;
  for (const std::size_t rank : shown_ranks(job)) {
    if (count > most && drawn.size() < most) drawn.insert(rank);
  }
  const std::size_t wanted = std::min(count, most);
  for (std::size_t each = 0; each < wanted && drawn.size() < wanted; ++each)
    drawn.insert(each * count / wanted);
  // Fills up if some of those were already notable.
  for (std::size_t rank = 0; drawn.size() < wanted; ++rank) drawn.insert(rank);
  return {drawn.begin(), drawn.end()};
}

}  // namespace strata::report
