// SPDX-License-Identifier: Apache-2.0
// A run against a budget, as text for a terminal or the failure of a test.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/peak/budget.hpp"

namespace strata::report {

std::string budget_report(const analysis::Facts& facts, const analysis::BudgetCheck& check);

}  // namespace strata::report
