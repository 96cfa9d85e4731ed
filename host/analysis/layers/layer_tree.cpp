// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/layer_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/layer_fold.hpp"
#include "host/analysis/layers/layer_paths.hpp"

namespace strata::analysis {
namespace {

// The memory of each module over an interval of the run.

class LayerLevels {
 public:
  explicit LayerLevels(const RunInterval& interval) : interval_(interval) {}

  // Whether the block is alive at some time in the interval.
  bool holds(const Block& block) const {
    return block.birth_sequence <= interval_.end_sequence && block.death_sequence >= interval_.begin_sequence;
  }
  // Adds such a block and its node.
  void add(const Block& block, std::uint32_t node);
  // From now on, each node's blocks belong to `place_of[node]`.
  void move_to(const std::vector<std::uint32_t>& place_of);

  // Sets maximum and means of each node, including all nodes below it. Nodes come after their parents.
  void finish(std::vector<LayerNode>& nodes);

 private:
  struct Change {
    std::uint64_t sequence = 0;
    std::int64_t ns = 0;
    std::uint64_t bytes = 0;
    std::uint32_t node = 0;
    bool is_birth = false;
  };

  // By sequence.
  std::vector<Change> in_order();

  RunInterval interval_;
  std::vector<Change> births_, deaths_;
  std::vector<std::uint64_t> begin_bytes_;  // by node, without nodes below
};

// The bytes of one node, with running sums.
struct Level {
  std::uint64_t bytes = 0, most = 0;
  std::uint64_t since_event = 0;
  std::int64_t since_ns = 0;
  long double over_events = 0.0L, over_time = 0.0L;

  void last_until(std::uint64_t event, std::int64_t ns) {
    const auto level = static_cast<long double>(bytes);
    over_events += level * static_cast<long double>(event - since_event);
    over_time += level * static_cast<long double>(ns - since_ns);
    since_event = event;
    since_ns = ns;
  }
};

void LayerLevels::add(const Block& block, std::uint32_t node) {
  if (block.birth_sequence < interval_.begin_sequence) {
    if (begin_bytes_.size() <= node) begin_bytes_.resize(node + 1);
    begin_bytes_[node] += block.bytes;
  } else {
    births_.push_back({block.birth_sequence, block.birth_ns, block.bytes, node, true});
  }
  if (block.death_sequence <= interval_.end_sequence && block.death_sequence != UINT64_MAX)
    deaths_.push_back({block.death_sequence, block.death_ns, block.bytes, node, false});
}

void LayerLevels::move_to(const std::vector<std::uint32_t>& place_of) {
  std::vector<std::uint64_t> moved(place_of.size());
  for (std::size_t node = 0; node < begin_bytes_.size(); ++node) moved[place_of[node]] += begin_bytes_[node];
  begin_bytes_ = std::move(moved);
  for (Change& change : births_) change.node = place_of[change.node];
  for (Change& change : deaths_) change.node = place_of[change.node];
}

std::vector<LayerLevels::Change> LayerLevels::in_order() {
  std::ranges::sort(deaths_, {}, &Change::sequence);
  if (!std::ranges::is_sorted(births_, {}, &Change::sequence))
    std::ranges::sort(births_, {}, &Change::sequence);
  std::vector<Change> changes(deaths_.size() + births_.size());
  // An address that is handed out again ends its old block in the same event, before the new one is born.
  std::ranges::merge(deaths_, births_, changes.begin(), {}, &Change::sequence, &Change::sequence);
  return changes;
}

void LayerLevels::finish(std::vector<LayerNode>& nodes) {
  begin_bytes_.resize(nodes.size());
  std::vector<Level> levels(nodes.size());
  for (std::size_t index = nodes.size(); index-- > 0;) {
    levels[index].bytes += begin_bytes_[index];
    levels[index].most = levels[index].bytes;
    levels[index].since_ns = interval_.begin_ns;
    if (index > 0) levels[nodes[index].parent].bytes += levels[index].bytes;
  }
  const std::vector<Change> changes = in_order();
  const auto up_from = [&](std::uint32_t node, const auto& visit) {
    for (;; node = nodes[node].parent) {
      visit(levels[node]);
      if (node == 0) return;
    }
  };
  std::uint64_t event = 0;
  std::int64_t now_ns = interval_.begin_ns;
  for (auto first = changes.begin(); first != changes.end(); ++event) {
    const auto last = std::find_if(first, changes.end(),
                                   [&](const Change& change) { return change.sequence != first->sequence; });
    for (auto change = first; change != last; ++change) {
      now_ns = std::clamp(change->ns, now_ns, std::max(now_ns, interval_.end_ns));
      up_from(change->node, [&](Level& level) {
        level.last_until(event, now_ns);
        level.bytes = change->is_birth ? level.bytes + change->bytes : level.bytes - change->bytes;
      });
    }
    for (; first != last; ++first)
      up_from(first->node, [](Level& level) { level.most = std::max(level.most, level.bytes); });
  }

  const std::int64_t end_ns = std::max(now_ns, interval_.end_ns);
  const auto time_ns = static_cast<long double>(end_ns - interval_.begin_ns);
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    Level& level = levels[index];
    const auto bytes = static_cast<long double>(level.bytes);
    level.last_until(event, end_ns);
    nodes[index].most_bytes = level.most;
    nodes[index].mean_over_events =
        static_cast<double>(event > 0 ? level.over_events / static_cast<long double>(event) : bytes);
    nodes[index].mean_over_time = static_cast<double>(time_ns > 0 ? level.over_time / time_ns : bytes);
  }
}

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
