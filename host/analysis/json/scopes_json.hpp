// SPDX-License-Identifier: Apache-2.0
// Scopes, a reconciliation and an estimate as JSON, for summary.json and `strata report --scopes --json`.
// Times count from the run's begin.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/checks.hpp"
#include "host/analysis/steps/scopes.hpp"

namespace strata::analysis {

struct Facts;

inline constexpr const char* kScopesSchema = "strata.scopes/1";

nlohmann::ordered_json to_json(const Scope& scope, const Facts& facts);
nlohmann::ordered_json to_json(const Reconciliation& moment, const Facts& facts);

nlohmann::ordered_json to_json(const LayerEstimate& estimate);

// All of them in one object.
std::string scopes_json(const Facts& facts, const std::vector<Scope>& scopes);

}  // namespace strata::analysis
