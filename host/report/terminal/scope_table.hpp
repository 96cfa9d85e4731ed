// SPDX-License-Identifier: Apache-2.0
// `strata report --scopes`: the peak of each kind of memory within each interval of the run, and the
// reconciliation of one moment.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/analysis/steps/scopes.hpp"

namespace strata::report {

std::string scope_report(const analysis::Facts& facts, const std::vector<analysis::Scope>& scopes,
                         bool colour, int width);

}  // namespace strata::report
