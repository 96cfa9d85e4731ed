// SPDX-License-Identifier: Apache-2.0
// The memory of a moment under all its names, as a tree of sums.
#pragma once

#include <string>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/report/terminal_style.hpp"

namespace strata::report {

// In bytes, so that the lines add up exactly, and in MiB.
std::string reconciliation_table(const analysis::MemoryFacts& facts, const analysis::Reconciliation& moment,
                                 const TerminalStyle& style);

}  // namespace strata::report
