// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/analysis/steps/scopes.hpp"

namespace strata::analysis {

struct MemoryFacts;

// The `steps` of summary.json; `scopes` are scopes_of(facts).
nlohmann::ordered_json steps_json(const MemoryFacts& facts, const std::vector<Scope>& scopes);
// The output of `strata report --steps --json`: strata.steps/1 of docs/summary.md, ending in a newline.
std::string steps_document(const MemoryFacts& facts);

}  // namespace strata::analysis
