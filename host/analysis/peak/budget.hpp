// SPDX-License-Identifier: Apache-2.0
// A run held against a budget: whether its highest moment fits, and, where it does not, what filled it and
// what the recording proves of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/finding.hpp"
#include "host/analysis/facts/peak.hpp"

namespace strata::analysis {

struct MemoryFacts;

struct BudgetCheck {
  std::uint64_t budget_bytes = 0;
  Peak peak;                              // of the whole run, in its window or not
  std::uint64_t most_reserved_bytes = 0;  // likewise; a card must have that much, where segments do not grow
  // Of the peak; none where it is within the budget, but where memory ran out: of that moment.
  std::vector<Finding> findings;
  bool ran_out = false;  // the run ended so: nobody knows how high its peak would have been

  bool fits() const { return !ran_out && peak.allocated_bytes <= budget_bytes; }
};

BudgetCheck check_budget(const MemoryFacts& facts, std::uint64_t budget_bytes);

}  // namespace strata::analysis
