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
    if (job.ranks[rank].end != "done" && odd++ < kShownOfAKind) shown.insert(rank);
  }
  for (std::size_t each = 0; each < std::min(job.stragglers.ranks.size(), kShownOfAKind); ++each)
    shown.insert(job.stragglers.ranks[each].rank);
  return {shown.begin(), shown.end()};
}

}  // namespace strata::report
