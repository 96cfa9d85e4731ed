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
// What `strata report --steps --json` prints: strata.steps/1 of docs/summary.md, with a line's end.
std::string steps_document(const MemoryFacts& facts);

}  // namespace strata::analysis
