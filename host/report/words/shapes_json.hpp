// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/shapes/shape.hpp"

namespace strata::report {

// The document of `strata report --shapes --json` (docs/shapes.md). Times count from the run's begin.
std::string shapes_document(const analysis::MemoryFacts& facts, const std::vector<analysis::Shape>& shapes);

}  // namespace strata::report
