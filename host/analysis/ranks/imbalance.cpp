// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/imbalance.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>

namespace strata::analysis {
namespace {

std::vector<ShareDifference> share_differences(const RankFacts& heaviest, const RankFacts& typical) {
  std::map<std::tuple<Category, std::string, std::string>, std::int64_t> bytes;
  for (const RankShare& share : heaviest.shares)
    bytes[{share.category, share.kind, share.layer}] += static_cast<std::int64_t>(share.bytes);
  for (const RankShare& share : typical.shares)
    bytes[{share.category, share.kind, share.layer}] -= static_cast<std::int64_t>(share.bytes);
  std::vector<ShareDifference> found;
  for (const auto& [key, difference] : bytes) {
    const auto& [category, kind, layer] = key;
    if (difference != 0) found.push_back({category, kind, layer, difference});
  }
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const ShareDifference& share) { return std::abs(share.bytes); });
  return found;
}

}  // namespace

Imbalance find_imbalance(const std::vector<RankFacts>& ranks) {
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t rank) { return ranks[rank].peak_allocated_bytes; });
  const std::uint64_t most = ranks[order.back()].peak_allocated_bytes;
  Imbalance found;
  found.lightest = order.front();
  found.typical = order[(order.size() - 1) / 2];
  found.heaviest =
      *std::ranges::find(order, most, [&](std::size_t rank) { return ranks[rank].peak_allocated_bytes; });
  found.spread_bytes = most - ranks[found.lightest].peak_allocated_bytes;
  for (std::size_t category = 0; category < kCategories; ++category)
    found.by_category.at(category) =
        static_cast<std::int64_t>(ranks[found.heaviest].peak_categories.at(category)) -
        static_cast<std::int64_t>(ranks[found.typical].peak_categories.at(category));
  if (found.heaviest != found.typical)
    found.shares = share_differences(ranks[found.heaviest], ranks[found.typical]);
  return found;
}

}  // namespace strata::analysis
