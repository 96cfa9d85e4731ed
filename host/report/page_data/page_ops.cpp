// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

// The number of operators with the most memory, and of those with the most time.
constexpr std::size_t kMostOps = 150;
constexpr std::size_t kOpNameBytes = 200;

struct OpRow {
  std::uint64_t bytes = 0, blocks = 0;  // alive at the peak
  const analysis::OpTime* time = nullptr;
};

}  // namespace

nlohmann::json ops_data(const analysis::Facts& facts) {
  std::map<std::string, OpRow> rows;
  const auto& shares = facts.peak.by_op;
  for (const auto& share : std::span(shares).first(std::min(shares.size(), kMostOps)))
    rows[share.label] = {share.bytes, share.blocks, nullptr};
  if (facts.time) {
    const auto& times = facts.time->ops;
    for (const auto& time : std::span(times).first(std::min(times.size(), kMostOps)))
      rows[facts.texts.at(time.name)].time = &time;
    // Operators with memory also get their time, however short.
    for (const auto& time : times) {
      const auto row = rows.find(facts.texts.at(time.name));
      if (row != rows.end() && row->second.time == nullptr) row->second.time = &time;
    }
  }
  std::vector<std::pair<std::string, OpRow>> ops(rows.begin(), rows.end());
  std::ranges::stable_sort(ops, std::greater{}, [](const auto& op) { return op.second.bytes; });
  auto list = nlohmann::json::array();
  for (const auto& [name, row] : ops) {
    auto entry = nlohmann::json::array();
    entry.push_back(clipped(name, kOpNameBytes));
    entry.push_back(row.bytes);
    entry.push_back(row.blocks);
    if (row.time != nullptr) {
      entry.push_back(row.time->count);
      entry.push_back(row.time->self_ns);
      entry.push_back(row.time->total_ns);
      entry.push_back(row.time->device_ns);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace strata::report
