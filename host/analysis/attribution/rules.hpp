// SPDX-License-Identifier: Apache-2.0
// The table of categories: which block is what, and why. It is data, in order; the first rule that applies
// decides. It is total: the last rule always applies, and says that nothing is known.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "host/analysis/attribution/evidence.hpp"
#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"

namespace strata::analysis {

struct Rule {
  std::string_view name;      // "forward_residue"
  std::string_view sentence;  // what is known of a block that it decides; Block::reason
  Category category;
  BlockKind kind;  // the second level
  bool (*applies)(const Evidence&);
};

// Every table here holds all rules that it needs to be total.
using RuleTable = std::vector<Rule>;

// Owners, then what autograd saved, then what can be proved from ops, then lifetimes over phases, then
// Unknown.
const RuleTable& standard_rules();

// `rules` without the ones that look at what autograd saved: what a run without saved-tensor rows gets.
RuleTable without_saved(const RuleTable& rules);

// The first rule that applies.
const Rule& decide(std::span<const Rule> rules, const Evidence& evidence);

}  // namespace strata::analysis
