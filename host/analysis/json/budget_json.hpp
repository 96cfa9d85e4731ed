// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/analysis/peak/budget.hpp"

namespace strata::analysis {

struct MemoryFacts;

// "strata.budget/2": docs/summary.md.
std::string budget_document(const MemoryFacts& facts, const BudgetCheck& check, FindingText text_of);

}  // namespace strata::analysis
