// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

constexpr std::size_t kLayerNameBytes = 100;

// A node is only included with its parent, which is at least as large and comes before it.
std::vector<std::uint32_t> largest_nodes(const std::vector<analysis::LayerNode>& nodes) {
  std::vector<std::uint32_t> indices(nodes.size());
  std::iota(indices.begin(), indices.end(), 0U);
  std::ranges::stable_sort(indices, std::greater{}, [&](std::uint32_t index) {
    return std::pair(analysis::sum(nodes[index].total), nodes[index].most_bytes);
  });
  if (indices.size() > kPageLayers) indices.resize(kPageLayers);
  std::ranges::sort(indices);
  return indices;
}

}  // namespace

nlohmann::json layers_data(const analysis::MemoryFacts& facts) {
  const auto& nodes = facts.layers.nodes;
  auto list = nlohmann::json::array();
  std::vector<std::size_t> place_of(nodes.size());
  for (const std::uint32_t index : largest_nodes(nodes)) {
    const analysis::LayerNode& node = nodes[index];
    place_of[index] = list.size();
    auto parts = nlohmann::json::array();
    for (std::size_t category = 0; category < analysis::kCategories; ++category) {
      if (node.total[category] == 0) continue;
      parts.push_back(category);
      parts.push_back(node.total[category]);
    }
    auto row = nlohmann::json::array();
    row.push_back(clipped(node.name, kLayerNameBytes));
    row.push_back(place_of[node.parent]);
    row.push_back(node.blocks);
    row.push_back(node.most_bytes);
    row.push_back(std::llround(node.mean_over_events));
    row.push_back(std::move(parts));
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace strata::report
