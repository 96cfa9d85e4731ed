// How far the rules can be trusted: labels found from lifetimes alone, against what autograd itself said it
// saved (runs recorded with `trace.saved_tensors: true`).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/blocks.hpp"
#include "host/analysis/facts.hpp"
#include "host/analysis/recording.hpp"
#include "host/analysis/rules.hpp"

namespace strata::analysis {

struct ConfusionCell {
  std::uint64_t blocks = 0, bytes = 0;
};

// Blocks that the two label differently in category or in kind.
struct Disagreement {
  Category truth_category, rule_category;
  std::string_view truth_kind, rule_kind;
  ConfusionCell size;
  BlockIndex first_block = kNoBlock;
};

struct Confusion {
  std::array<std::array<ConfusionCell, kCategories>, kCategories> cells{};  // [truth][rule]
  std::vector<Disagreement> disagreements;                                  // largest first
  std::uint64_t saved_blocks = 0;  // that autograd saved; with none there was no truth to compare with

  ConfusionCell off_diagonal() const;
};

// The truth: owners are what they registered as, what autograd saved is an activation, and what it did not
// save is none. Against it: `rules` without those that look at what was saved.
Confusion compare_with_truth(const Recording& run, const RuleTable& rules = standard_rules());

}  // namespace strata::analysis
