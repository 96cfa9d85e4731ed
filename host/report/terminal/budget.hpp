// SPDX-License-Identifier: Apache-2.0
// The check of a run against a budget, as text for a terminal or a failed test.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/peak/budget.hpp"

namespace strata::report {

std::string budget_report(const analysis::Facts& facts, const analysis::BudgetCheck& check);

}  // namespace strata::report
