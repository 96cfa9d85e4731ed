// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostOfBudget = 10;

ordered_json budget_shares(const std::vector<PeakShare>& shares) {
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < std::min(shares.size(), kMostOfBudget); ++index)
    list.push_back({{"label", shares[index].label}, {"bytes", shares[index].bytes}});
  return list;
}

ordered_json budget_blocks(const MemoryFacts& facts, const Peak& peak) {
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < std::min(peak.largest_blocks.size(), kMostOfBudget); ++index) {
    const Block& block = facts.blocks[peak.largest_blocks[index]];
    list.push_back({{"bytes", block.bytes},
                    {"category", to_string(block.category)},
                    {"kind", to_string(block.kind)},
                    {"owner", facts.texts[block.name]},
                    {"op", facts.texts[block.op]},
                    {"layer", facts.texts[block.layer]}});
  }
  return list;
}

}  // namespace

std::string budget_document(const MemoryFacts& facts, const BudgetCheck& check, FindingText text_of) {
  const Peak& peak = check.peak;
  ordered_json document{{"schema", "strata.budget/2"},
                        {"budget_bytes", check.budget_bytes},
                        {"fits", check.fits()},
                        {"ran_out_of_memory", check.ran_out},
                        {"device", facts.device},
                        {"peak_bytes", peak.allocated_bytes},
                        {"most_reserved_bytes", check.most_reserved_bytes},
                        {"step", nullptr},
                        {"phase", peak.phase},
                        {"categories", to_json(peak.categories)},
                        {"by_kind", budget_shares(peak.by_kind)},
                        {"by_module", budget_shares(peak.by_layer)},
                        {"largest_blocks", budget_blocks(facts, peak)}};
  if (peak.step >= 0) document["step"] = peak.step;
  document["findings"] = findings_json(check.findings, text_of);
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis
