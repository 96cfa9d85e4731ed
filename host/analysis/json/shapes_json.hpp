// SPDX-License-Identifier: Apache-2.0
// Shapes as JSON, for scripts and pages.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/analysis/shapes/shape.hpp"

namespace strata::analysis {

struct MemoryFacts;

// All fields of each, with times from the run's begin.
nlohmann::ordered_json shapes_json(const MemoryFacts& facts, const std::vector<Shape>& shapes);

// `shapes` of summary.json: only their kinds and bytes.
nlohmann::ordered_json shapes_summary(const std::vector<Shape>& shapes);

// The output of `strata report --shapes --json` (docs/shapes.md).
std::string shapes_document(const MemoryFacts& facts, const std::vector<Shape>& shapes);

}  // namespace strata::analysis
