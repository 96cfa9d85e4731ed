// SPDX-License-Identifier: Apache-2.0
// The parts of the summary as JSON, one function each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/dry_fact.hpp"
#include "host/analysis/facts/finding.hpp"
#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/facts/steady_state.hpp"
#include "host/analysis/peak/budget.hpp"
#include "host/analysis/steps/scopes.hpp"
#include "host/analysis/time/device_peak.hpp"

namespace strata::analysis {

struct Facts;
struct MemoryFacts;

// "strata.budget/2": docs/summary.md.
std::string budget_document(const MemoryFacts& facts, const BudgetCheck& check, FindingText text_of);

// The allocations selected by a detail, for scripts.
// The output of `strata report --detail 10% --json`: strata.detail/1 of docs/report.md, ending in a newline.
// `detail` as in largest_blocks(), including exceptions.
std::string detail_document(const Facts& facts, double detail);

// The limits of a dry run, as in summary.json, the manifest and an account: `dry` in summary.schema.json.
nlohmann::ordered_json to_json(const DryFact& dry);

// The output of `strata report --layers --json`: strata.layers/1 of docs/summary.md, ending in a newline.
// Nodes deeper than `depth` are merged into those above them.
std::string layers_document(const MemoryFacts& facts, const LayerTree& tree,
                            std::optional<std::uint32_t> depth);

// In the form described in docs/summary.md.
nlohmann::ordered_json to_json(const CategoryBytes& bytes);
nlohmann::ordered_json findings_json(const std::vector<Finding>& findings, FindingText text_of);
// The change from `begin` to `end`, which may be negative.
nlohmann::ordered_json change_json(const CategoryBytes& begin, const CategoryBytes& end);
// The parts of `peak` in summary.json about its context: since_begin, next_place and outside_phase.
nlohmann::ordered_json peak_context_json(const MemoryFacts& facts);

// The `steps` of summary.json; `scopes` are scopes_of(facts).
nlohmann::ordered_json steps_json(const MemoryFacts& facts, const std::vector<Scope>& scopes);
// The output of `strata report --steps --json`: strata.steps/1 of docs/summary.md, ending in a newline.
std::string steps_document(const MemoryFacts& facts);

// A run's times as JSON: docs/time.md and docs/summary.md.
// The document strata.time/1. Lists contain the first `top` entries; 0: all. The facts must have times.
std::string time_document(const Facts& facts, const std::optional<DevicePeak>& peak, std::size_t top);

// The section of summary.json; null for a run without times.
nlohmann::ordered_json time_summary(const Facts& facts);

// `steady_state` of summary.json.
nlohmann::ordered_json steady_state_json(const SteadyState& state);

}  // namespace strata::analysis
