// SPDX-License-Identifier: Apache-2.0
// The table of categories: how each block is labelled, and why. It is ordered data; the first rule that
// applies decides. It is total: the last rule always applies, and says that nothing is known.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "host/analysis/attribution/evidence.hpp"
#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/reason.hpp"

namespace strata::analysis {

struct Rule {
  std::string_view name;  // "forward_residue"
  Reason reason;          // of the blocks that it labels; no other rule has it
  Category category;
  BlockKind kind;  // the second level
  bool (*applies)(const Evidence&);
};

// Every table defined here is total.
using RuleTable = std::vector<Rule>;

// In order: owners, saved tensors, facts proved by ops, lifetimes over phases, Unknown.
const RuleTable& standard_rules();

// `rules` without those that use saved tensors: for a run without saved-tensor rows.
RuleTable without_saved(const RuleTable& rules);

// The first rule that applies.
const Rule& decide(std::span<const Rule> rules, const Evidence& evidence);

}  // namespace strata::analysis
