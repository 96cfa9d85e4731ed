// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/finding.hpp"

namespace strata::analysis {

struct MemoryFacts;

// In the form described in docs/summary.md.
nlohmann::ordered_json to_json(const CategoryBytes& bytes);
nlohmann::ordered_json findings_json(const std::vector<Finding>& findings, FindingText text_of);
// The change from `begin` to `end`, which may be negative.
nlohmann::ordered_json change_json(const CategoryBytes& begin, const CategoryBytes& end);
// The parts of `peak` in summary.json about its context: since_begin, next_place and outside_phase.
nlohmann::ordered_json peak_context_json(const MemoryFacts& facts);

}  // namespace strata::analysis
