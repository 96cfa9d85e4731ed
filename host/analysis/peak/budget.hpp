// SPDX-License-Identifier: Apache-2.0
// Checks a run against a budget: whether its peak fits, and if not, the memory alive at the peak and the
// findings about it.
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
  Peak peak;                              // of the whole run, inside or outside the window
  std::uint64_t most_reserved_bytes = 0;  // likewise; a card needs this much if segments do not grow
  // At the peak, if it exceeds the budget; if memory ran out, at that moment.
  std::vector<Finding> findings;
  bool ran_out = false;  // the run ended because of it, so its full peak is unknown

  bool fits() const { return !ran_out && peak.allocated_bytes <= budget_bytes; }
};

BudgetCheck check_budget(const MemoryFacts& facts, std::uint64_t budget_bytes);

}  // namespace strata::analysis
