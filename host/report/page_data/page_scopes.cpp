// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/scopes.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::Scope;
using analysis::ScopeKind;
using nlohmann::json;

constexpr std::size_t kMostScopes = 400;
constexpr std::size_t kLabelBytes = 100;

// If there are too many steps, those around the peak's.
std::vector<const Scope*> kept_scopes(const std::vector<Scope>& scopes, std::int64_t peak_step) {
  std::vector<const Scope*> kept;
  kept.reserve(scopes.size());
  for (const Scope& scope : scopes) kept.push_back(&scope);
  if (kept.size() <= kMostScopes) return kept;
  const auto distance = [&](const Scope* scope) {
    if (scope->kind == ScopeKind::kRun || scope->kind == ScopeKind::kWindow) return std::int64_t{-2};
    return scope->kind == ScopeKind::kEpoch ? std::int64_t{-1} : std::abs(scope->index - peak_step);
  };
  std::ranges::stable_sort(kept, {}, distance);
  kept.resize(kMostScopes);
  std::ranges::sort(kept);  // as they lay
  return kept;
}

json scope_row(const Scope& scope) {
  auto row = json::array();
  row.push_back(clipped(scope.label, kLabelBytes));
  for (const auto& levels : scope.of) row.push_back(levels ? json(levels->peak_bytes) : json());
  return row;
}

// [name, bytes, part of], from all memory in use down to the requested bytes.
json reconciled(const analysis::Reconciliation& moment) {
  auto rows = json::array();
  const auto add = [&](std::string_view name, const json& bytes, std::string_view of) {
    auto row = json::array();
    row.push_back(name);
    row.push_back(bytes);
    row.push_back(of);
    rows.push_back(std::move(row));
  };
  if (moment.device_used_bytes) {
    add("used on the device, by all processes", *moment.device_used_bytes, "");
    add("outside of the allocator", moment.outside_bytes, "used");
  }
  add("reserved", moment.reserved_bytes, "used");
  add("reserved and not allocated", moment.unused_bytes, "reserved");
  if (moment.deferred_bytes > 0) add("freed, another stream still uses it", moment.deferred_bytes, "unused");
  add("allocated", moment.allocated_bytes, "reserved");
  add("rounded up, nobody asked for it", moment.rounding_bytes, "allocated");
  add("requested", moment.requested_bytes, "allocated");
  if (moment.resident_bytes) add("of the host: resident set of the process", *moment.resident_bytes, "");
  return rows;
}

}  // namespace

json scopes_data(const analysis::MemoryFacts& facts) {
  const std::vector<Scope> scopes = analysis::scopes_of(facts);
  auto list = json::array();
  for (const Scope* const scope : kept_scopes(scopes, facts.peak.step)) list.push_back(scope_row(*scope));
  json data;
  data["list"] = std::move(list);
  data["left_out"] = scopes.size() - std::min(scopes.size(), kMostScopes);
  data["reconciled"] = facts.points.empty()
                           ? json::array()
                           : reconciled(analysis::reconcile(facts, facts.peak.sequence, facts.peak.ns));
  return data;
}

}  // namespace strata::report
