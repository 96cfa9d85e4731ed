// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <nlohmann/json.hpp>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {
namespace {

using PeakPartJson = nlohmann::ordered_json;

PeakPartJson changes_json(const PeakContext& context) {
  PeakPartJson list = PeakPartJson::array();
  for (const PeakChange& change : context.changes) {
    PeakPartJson entry;
    entry["category"] = to_string(change.category);
    entry["kind"] = to_string(change.kind);
    entry["born_bytes"] = change.born_bytes;
    entry["born_blocks"] = change.born_blocks;
    entry["freed_bytes"] = change.freed_bytes;
    entry["freed_blocks"] = change.freed_blocks;
    list.push_back(std::move(entry));
  }
  return list;
}

PeakPartJson place_json(const MemoryFacts& facts, const std::optional<HighPlace>& place) {
  if (!place) return nullptr;
  const auto text_or_nothing = [&](std::uint32_t text) {
    return text == 0 ? PeakPartJson(nullptr) : PeakPartJson(facts.texts[text]);
  };
  PeakPartJson json;
  json["allocated_bytes"] = place->allocated_bytes;
  json["lower_bytes"] = facts.peak.allocated_bytes - place->allocated_bytes;
  json["valley_bytes"] = place->valley_bytes;
  json["phase"] = place->phase;
  json["layer"] = text_or_nothing(place->layer);
  json["op"] = text_or_nothing(place->op);
  json["categories"] = to_json(place->categories);
  return json;
}

}  // namespace

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings, FindingText text_of) {
  PeakPartJson list = PeakPartJson::array();
  for (const Finding& finding : findings)
    list.push_back(
        {{"kind", to_string(finding.kind)},
         {"bytes", finding.bytes},
         {"text", text_of(finding)},
         {"module", finding.module.empty() ? PeakPartJson(nullptr) : PeakPartJson(finding.module)}});
  return list;
}

nlohmann::ordered_json to_json(const CategoryBytes& bytes) {
  PeakPartJson categories = PeakPartJson::object();
  for (std::size_t category = 0; category < kCategories; ++category)
    categories[to_string(static_cast<Category>(category))] = bytes[category];
  return categories;
}

nlohmann::ordered_json change_json(const CategoryBytes& begin, const CategoryBytes& end) {
  PeakPartJson categories = PeakPartJson::object();
  for (std::size_t category = 0; category < kCategories; ++category)
    categories[to_string(static_cast<Category>(category))] =
        static_cast<std::int64_t>(end[category]) - static_cast<std::int64_t>(begin[category]);
  return categories;
}

nlohmann::ordered_json peak_context_json(const MemoryFacts& facts) {
  const PeakContext& context = facts.peak_context;
  PeakPartJson since;
  since["allocated_bytes"] = sum(context.begin_categories);
  since["change"] = change_json(context.begin_categories, facts.peak.categories);
  since["kinds"] = changes_json(context);
  PeakPartJson json;
  json["since_begin"] = std::move(since);
  json["next_place"] = place_json(facts, context.next_place);
  json["part_of_step"] = context.part_of_step;
  json["outside_phase"] = place_json(facts, context.outside_phase);
  return json;
}

}  // namespace strata::analysis
