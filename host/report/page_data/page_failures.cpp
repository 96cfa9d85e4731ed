// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "host/analysis/facts/facts.hpp"
#include "host/report/advise_line.hpp"
#include "host/report/terminal/failure.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::report {
namespace {

constexpr std::size_t kFailures = 3;

nlohmann::json finding_data(const analysis::Finding& finding) {
  nlohmann::json data;
  data["text"] = clipped(finding_text(finding), kSentenceBytes);
  data["bytes"] = finding.bytes;
  return data;
}

nlohmann::json failure_data(const analysis::Facts& facts, const analysis::OutOfMemory& failure) {
  const FailureText text = failure_text(facts, failure);
  auto findings = nlohmann::json::array();
  for (const analysis::Finding& finding : failure.findings) findings.push_back(finding_data(finding));
  nlohmann::json data;
  data["asked"] = clipped(text.asked, kSentenceBytes);
  data["note"] = text.note;
  data["requested_bytes"] = failure.requested_bytes;
  data["allocated_bytes"] = failure.held.allocated_bytes;
  data["reserved_bytes"] = failure.held.reserved_bytes;
  data["device_free_bytes"] =
      failure.device_free_bytes ? nlohmann::json(*failure.device_free_bytes) : nlohmann::json();
  data["categories"] = failure.held.categories;
  data["findings"] = std::move(findings);
  data["advise_label"] = advise_label(facts);
  data["advise"] = advise_command(facts);
  return data;
}

}  // namespace

nlohmann::json failures_data(const analysis::Facts& facts) {
  auto list = nlohmann::json::array();
  const std::span all(facts.out_of_memory);
  for (const analysis::OutOfMemory& failure : all.first(std::min(all.size(), kFailures)))
    list.push_back(failure_data(facts, failure));
  return list;
}

nlohmann::json ran_out_data(const analysis::Facts& facts, const EventStream& stream, std::int64_t begin_ns) {
  if (facts.out_of_memory.empty()) return {};
  const analysis::Peak& held = facts.out_of_memory.back().held;
  nlohmann::json data;
  data["end"] = held.ns - begin_ns;
  data["endState"] = stream.state_after(held.sequence);
  return data;
}

}  // namespace strata::report
