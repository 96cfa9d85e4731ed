// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/open_phases.hpp"

namespace strata::analysis {
namespace {

nlohmann::ordered_json node_json(const LayerNode& node) {
  nlohmann::ordered_json json;
  json["path"] = node.path;
  json["depth"] = node.depth;
  json["bytes"] = sum(node.total);
  json["blocks"] = node.blocks;
  json["total"] = to_json(node.total);
  json["self"] = to_json(node.self);
  json["most_bytes"] = node.most_bytes;
  json["mean_over_events"] = node.mean_over_events;
  json["mean_over_time"] = node.mean_over_time;
  return json;
}

}  // namespace

std::string layers_document(const MemoryFacts& facts, const LayerTree& tree,
                            std::optional<std::uint32_t> depth) {
  const auto phase = OpenPhases(facts.phases).innermost(tree.sequence);
  auto nodes = nlohmann::ordered_json::array();
  for (const LayerNode& node : tree.nodes)
    if (!depth || node.depth <= *depth) nodes.push_back(node_json(node));
  nlohmann::ordered_json document;
  document["schema"] = "strata.layers/1";
  document["step"] = nullptr;
  if (tree.interval.step >= 0) document["step"] = tree.interval.step;
  document["phase"] = phase ? facts.phases[*phase].name : "";
  document["layers"] = std::move(nodes);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis
