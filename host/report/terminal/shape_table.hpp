// SPDX-License-Identifier: Apache-2.0
// The shapes of a memory timeline on the terminal.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/shapes/shape.hpp"

namespace strata::report {

// One line for each: its meaning, and how to remove it.
std::string shape_table(const analysis::MemoryFacts& facts, const std::vector<analysis::Shape>& shapes,
                        bool colour, int width);

}  // namespace strata::report
