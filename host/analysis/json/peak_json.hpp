// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/finding.hpp"

namespace strata::analysis {

struct MemoryFacts;

// As docs/summary.md describes them.
nlohmann::ordered_json to_json(const CategoryBytes& bytes);
nlohmann::ordered_json findings_json(const std::vector<Finding>& findings, FindingText text_of);
// The change from `begin` to `end`, which may be negative.
nlohmann::ordered_json change_json(const CategoryBytes& begin, const CategoryBytes& end);
// What summary.json's `peak` says beside the peak itself: since_begin, next_place and outside_phase.
nlohmann::ordered_json peak_context_json(const MemoryFacts& facts);

}  // namespace strata::analysis
