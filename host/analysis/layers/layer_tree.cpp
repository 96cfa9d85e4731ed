// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/layer_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/layer_fold.hpp"
#include "host/analysis/layers/layer_levels.hpp"
#include "host/analysis/layers/layer_paths.hpp"

namespace strata::analysis {
namespace {

// Nodes as they are met, and where each block belongs among them.
class Growing {
 public:
  explicit Growing(const MemoryFacts& facts) : facts_(facts), of_module_(facts.texts.size()) {
    nodes_.emplace_back();
  }

  std::uint32_t node_of(const Block& block) {
    if (block.layer == 0) {
      const auto [place, is_new] = of_no_module_.try_emplace(key(block), 0);
      if (is_new) place->second = grow(layer_path(facts_, block));
      return place->second;
    }
    std::uint32_t& place = of_module_[block.layer];
    if (place == 0) place = grow(layer_path(facts_, block));  // no block is of the root itself
    return place;
  }

  std::vector<LayerNode>& nodes() { return nodes_; }

 private:
  // For blocks without a module: equal keys have equal paths.
  static std::pair<std::optional<BlockKind>, std::uint32_t> key(const Block& block) {
    if (block.name != 0) return {block.kind, 0};
    return {std::nullopt, block.phase};
  }

  std::uint32_t grow(const LayerPath& path) {
    std::uint32_t at = 0;
    for (const LayerPath::Part& part : path.parts) {
      const auto [child, is_new] = children_.try_emplace({at, std::string(part.name)}, 0);
      if (is_new) {
        child->second = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({.name = std::string(part.name),
                          .path = path.text.substr(0, part.end),
                          .parent = at,
                          .depth = nodes_[at].depth + 1});
      }
      at = child->second;
    }
    return at;
  }

  const MemoryFacts& facts_;
  std::vector<LayerNode> nodes_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> children_;
  std::vector<std::uint32_t> of_module_;  // by the text of its path
  std::map<std::pair<std::optional<BlockKind>, std::uint32_t>, std::uint32_t> of_no_module_;
};

void add(CategoryBytes& to, const CategoryBytes& bytes) {
  for (std::size_t category = 0; category < kCategories; ++category) to[category] += bytes[category];
}

// A node's own memory is also its ancestors'. Nodes come after their parents.
void total_up(std::vector<LayerNode>& nodes) {
  for (LayerNode& node : nodes) node.total = node.self;
  for (std::size_t index = nodes.size(); index-- > 1;) {
    add(nodes[nodes[index].parent].total, nodes[index].total);
    nodes[nodes[index].parent].blocks += nodes[index].blocks;
  }
}

// "9" before "10".
bool comes_before(const std::string& left, const std::string& right) {
  const auto is_number = [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(left) && is_number(right) && left.size() != right.size()) return left.size() < right.size();
  return left < right;
}

// In the order in which a table shows them.
std::vector<LayerNode> largest_first(std::vector<LayerNode> nodes) {
  std::vector<std::vector<std::uint32_t>> children(nodes.size());
  for (std::uint32_t index = 1; index < nodes.size(); ++index) children[nodes[index].parent].push_back(index);
  const auto smaller = [&](std::uint32_t left, std::uint32_t right) {
    const auto size = [&](std::uint32_t index) {
      return std::pair(sum(nodes[index].total), nodes[index].most_bytes);
    };
    return size(left) != size(right) ? size(left) < size(right)
                                     : comes_before(nodes[right].name, nodes[left].name);
  };
  std::vector<LayerNode> ordered;
  ordered.reserve(nodes.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{0, 0}};  // a node and its parent's new place
  while (!open.empty()) {
    const auto [index, parent] = open.back();
    open.pop_back();
    const auto place = static_cast<std::uint32_t>(ordered.size());
    std::ranges::sort(children[index], smaller);
    for (const std::uint32_t child : children[index]) open.emplace_back(child, place);
    ordered.push_back(std::move(nodes[index]));
    ordered.back().parent = parent;
  }
  return ordered;
}

// Every block of the moment or of the interval, in its module.
void plant(const MemoryFacts& facts, std::uint64_t sequence, Growing& tree, LayerLevels& levels) {
  for (const Block& block : facts.blocks) {
    const bool is_alive = block.is_alive_at(sequence);
    const bool is_within = levels.holds(block);
    if (!is_alive && !is_within) continue;
    const std::uint32_t index = tree.node_of(block);
    if (is_within) levels.add(block, index);
    if (!is_alive) continue;
    LayerNode& node = tree.nodes()[index];
    node.self[static_cast<std::size_t>(block.category)] += block.bytes;
    if (block.category == Category::kParameter)
      node.parameter_bytes += block.bytes - std::min(block.rounding_bytes, block.bytes);
    ++node.blocks;
  }
}

}  // namespace

LayerTree layer_tree(const MemoryFacts& facts, std::uint64_t sequence, const RunInterval& interval) {
  Growing tree(facts);
  LayerLevels levels(interval);
  plant(facts, sequence, tree, levels);
  total_up(tree.nodes());
  for (LayerNode& node : tree.nodes()) node.smallest_bytes = node.largest_bytes = sum(node.total);
  levels.finish(tree.nodes());
  return {sequence, interval, largest_first(std::move(tree.nodes()))};
}

LayerTree folded_layer_tree(const MemoryFacts& facts, std::uint64_t sequence, const RunInterval& interval) {
  Growing tree(facts);
  LayerLevels levels(interval);
  plant(facts, sequence, tree, levels);
  total_up(tree.nodes());
  FoldedLayers folded = fold_layers(tree.nodes());
  levels.move_to(folded.place_of);
  levels.finish(folded.nodes);
  return {sequence, interval, largest_first(std::move(folded.nodes))};
}

}  // namespace strata::analysis
