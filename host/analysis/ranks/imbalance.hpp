// SPDX-License-Identifier: Apache-2.0
// The differences in memory between ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

struct ShareDifference {
  Category category = Category::kUnknown;
  std::string kind, layer;
  std::int64_t bytes = 0;  // of the heaviest rank, minus those of the typical one
};

struct Imbalance {
  // Indices into the job's ranks: with the highest peak, the lowest peak, and the lower median of all peaks.
  std::size_t heaviest = 0, lightest = 0, typical = 0;
  std::uint64_t spread_bytes = 0;                       // from the lowest peak to the highest
  std::array<std::int64_t, kCategories> by_category{};  // peak of the heaviest minus that of the typical one
  std::vector<ShareDifference> shares;                  // the same by kind and layer, largest first
};

// Requires at least one rank.
Imbalance find_imbalance(const std::vector<RankFacts>& ranks);

}  // namespace strata::analysis
