// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/warm_up/causes.hpp"
#include "host/report/terminal/tables.hpp"
#include "host/report/text.hpp"
#include "host/report/words/warm_up_words.hpp"

namespace strata::report {
namespace {

using analysis::CauseShare;
using nlohmann::json;

constexpr std::size_t kProofBytes = 400;

// [where, cause, certainty, nanoseconds, count, proof]
json cause_row(const std::string& where, const CauseShare& share) {
  const auto& described = analysis::describe(share.cause);
  auto row = json::array();
  row.push_back(where);
  row.push_back(cause_title(share.cause));
  row.push_back(analysis::to_string(described.certainty));
  row.push_back(share.ns);
  row.push_back(share.count);
  row.push_back(clipped(proof_text(share.proofs), kProofBytes));
  return row;
}

json unexplained_row(const std::string& where, double ns) {
  auto row = json::array();
  row.push_back(where);
  row.push_back("nothing explains it");
  row.push_back("");
  row.push_back(ns);
  row.push_back(json());
  row.push_back("");
  return row;
}

void add_steps(const std::vector<analysis::SlowStep>& steps, json& rows) {
  constexpr std::size_t kMostSlowSteps = 20;
  for (std::size_t i = 0; i < std::min(steps.size(), kMostSlowSteps); ++i) {
    const std::string where = "step " + std::to_string(steps[i].step);
    for (const CauseShare& share : steps[i].causes) rows.push_back(cause_row(where, share));
    if (steps[i].unattributed_ns > 0) rows.push_back(unexplained_row(where, steps[i].unattributed_ns));
  }
}

}  // namespace

json warm_up_data(const analysis::Facts& facts) {
  const auto& warm_up = facts.warm_up;
  auto rows = json::array();
  for (const CauseShare& share : warm_up.before.causes) rows.push_back(cause_row("before step 0", share));
  add_steps(warm_up.steps, rows);
  add_steps(warm_up.again, rows);
  json data;
  data["sentence"] = steady_sentence(facts);
  data["is_recorded"] = warm_up.is_recorded;
  data["causes"] = std::move(rows);
  return data;
}

}  // namespace strata::report
