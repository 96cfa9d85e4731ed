// SPDX-License-Identifier: Apache-2.0
// The peaks of a run's steps on the terminal.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// One line per step; the run's peak is marked.
std::string step_table(const analysis::MemoryFacts& facts, bool colour, int width);

}  // namespace strata::report
