// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "host/analysis/facts/facts.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

constexpr std::size_t kMostFaults = 100;
constexpr std::size_t kFaultBytes = 200;

}  // namespace

nlohmann::json faults_data(const analysis::Facts& facts) {
  auto list = nlohmann::json::array();
  const auto add = [&](const std::string& what, const std::string& who, std::uint64_t count) {
    if (count == 0 || list.size() == kMostFaults) return;
    auto row = nlohmann::json::array();
    row.push_back(clipped(who, kFaultBytes));
    row.push_back(clipped(what, kFaultBytes));
    row.push_back(count);
    list.push_back(std::move(row));
  };
  add("rows that found no room in the store", "store", facts.dropped_rows);
  for (const auto& fault : facts.faults) add(fault.kind, "trainer and plugins", fault.count);
  if (!facts.time) return list;
  for (const auto& capture : facts.time->captures) {
    add("records of the device that found no buffer", "cupti", capture.dropped);
    add("buffers refused", "cupti", capture.refused_buffers);
    add("buffers that could not be read", "cupti", capture.broken_buffers);
    add("buffers that came too late", "cupti", capture.late_buffers);
    add("records without times", "cupti", capture.without_times);
    add("activities without their calls", "cupti", capture.without_call);
    add("calls whose origins were forgotten", "cupti", capture.lost_origins);
  }
  return list;
}

}  // namespace strata::report
