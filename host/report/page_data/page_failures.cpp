// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_failures.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "host/report/failure.hpp"
#include "host/report/page_data/text_sizes.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

constexpr std::size_t kFailures = 3;

nlohmann::json failure_data(const FailureText& text) {
  auto remedies = nlohmann::json::array();
  for (const std::string& remedy : text.remedies) remedies.push_back(clipped(remedy, kSentenceBytes));
  nlohmann::json data;
  data["what"] = clipped(text.what, kSentenceBytes);
  data["remedies"] = std::move(remedies);
  data["need"] = text.need;
  return data;
}

}  // namespace

nlohmann::json failures_data(const analysis::Facts& facts) {
  auto list = nlohmann::json::array();
  const std::span all(facts.out_of_memory);
  for (const analysis::OutOfMemory& failure : all.first(std::min(all.size(), kFailures)))
    list.push_back(failure_data(failure_text(facts, failure)));
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
