// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/averaging.hpp"

#include <algorithm>

namespace strata::analysis {

Averaging averaging_of(const std::vector<RankFacts>& ranks) {
  if (ranks.empty() || std::ranges::any_of(ranks, &RankFacts::is_dry)) return Averaging::kNotShown;
  if (std::ranges::any_of(ranks, [](const RankFacts& rank) { return rank.device != "cpu"; }))
    return Averaging::kOnDevices;
  const RankFacts& first = ranks.front();
  const bool is_alike = std::ranges::all_of(ranks, [&](const RankFacts& rank) {
    return rank.world_size == ranks.size() && rank.bucket_bytes == first.bucket_bytes &&
           rank.backward_operators == first.backward_operators;
  });
  return is_alike && !first.bucket_bytes.empty() ? Averaging::kOnHosts : Averaging::kNotShown;
}

}  // namespace strata::analysis
