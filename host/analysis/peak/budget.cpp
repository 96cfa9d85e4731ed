// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/budget.hpp"

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/findings.hpp"
#include "host/analysis/peak/most_reserved.hpp"
#include "host/analysis/peak/peak.hpp"

namespace strata::analysis {

BudgetCheck check_budget(const MemoryFacts& facts, std::uint64_t budget_bytes) {
  BudgetCheck check{.budget_bytes = budget_bytes,
                    .peak = find_peak(facts, Window{}),
                    .most_reserved_bytes = most_reserved_bytes(facts),
                    .findings = {},
                    .ran_out = facts.end == RunEnd::kOutOfMemory};
  if (check.ran_out) {
    if (!facts.out_of_memory.empty()) check.findings = facts.out_of_memory.back().findings;
  } else if (check.peak.allocated_bytes > budget_bytes) {
    check.findings = findings_at(facts, check.peak, check.peak.allocated_bytes - budget_bytes);
  }
  return check;
}

}  // namespace strata::analysis
