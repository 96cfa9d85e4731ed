// SPDX-License-Identifier: Apache-2.0
#include "host/report/layer_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace strata::report {
namespace {

using analysis::LayerNode;
using analysis::LayerTree;
using analysis::sum;

class Layout {
 public:
  // Several rows below one node that hold less than `small_bytes` each are one.
  Layout(const LayerTree& tree, std::uint64_t small_bytes)
      : tree_(tree), small_bytes_(small_bytes), children_(tree.nodes.size()) {
    for (std::uint32_t index = 1; index < tree.nodes.size(); ++index)
      children_[tree.nodes[index].parent].push_back(index);
  }

  struct Place {
    LayerRow row;
    std::uint32_t node;  // its children may be shown below
  };

  // The children of a node, largest first.
  std::vector<Place> below(std::uint32_t parent, std::uint32_t depth) const {
    std::vector<Place> places;
    for (const std::uint32_t child : children_[parent]) {
      const std::uint32_t end = end_of_chain(child);
      places.push_back(
          {{LayerRow::Kind::kNode, label(child, end), depth, sum(node(end).total), &node(end)}, end});
    }
    if (places.empty()) return places;
    if (const std::uint64_t own = sum(node(parent).self); parent != 0 && own > 0)
      places.push_back({{LayerRow::Kind::kItself, "(itself)", depth, own, &node(parent)}, 0});
    std::ranges::stable_sort(places, std::greater{}, [](const Place& place) { return place.row.bytes; });
    if (small_bytes_ > 0) gather_small(places, parent, depth);
    return places;
  }

  bool has_children(std::uint32_t node) const { return !children_[node].empty(); }

  // `is_open` selects nodes whose children are shown too.
  std::vector<LayerRow> rows(const std::function<bool(const Place&)>& is_open) const {
    std::vector<LayerRow> rows;
    std::vector<Place> waiting;
    const auto wait = [&](std::uint32_t node, std::uint32_t depth) {
      std::vector<Place> places = below(node, depth);
      for (auto place = places.rbegin(); place != places.rend(); ++place)
        waiting.push_back(std::move(*place));
    };
    wait(0, 0);
    while (!waiting.empty()) {
      const Place place = std::move(waiting.back());
      waiting.pop_back();
      rows.push_back(place.row);
      if (place.node != 0 && is_open(place)) wait(place.node, place.row.depth + 1);
    }
    return rows;
  }

 private:
  const LayerNode& node(std::uint32_t index) const { return tree_.nodes[index]; }

  // The end of a row that begins with `index`: a chain of nodes with a single child each.
  std::uint32_t end_of_chain(std::uint32_t index) const {
    while (children_[index].size() == 1 &&
           node(children_[index].front()).most_bytes == node(index).most_bytes && sum(node(index).self) == 0)
      index = children_[index].front();
    return index;
  }

  std::string label(std::uint32_t first, std::uint32_t last) const {
    const std::string& above = node(node(first).parent).path;
    const std::string text = node(last).path.substr(above.empty() ? 0 : above.size() + 1);
    return text.empty() ? "(unnamed)" : text;
  }

  void gather_small(std::vector<Place>& places, std::uint32_t parent, std::uint32_t depth) const {
    std::erase_if(places, [](const Place& place) { return place.row.bytes == 0; });
    const auto small =
        std::ranges::find_if(places, [&](const Place& place) { return place.row.bytes < small_bytes_; });
    const auto count = places.end() - small;
    if (count < 2) return;
    LayerRow more{LayerRow::Kind::kMore, fmt::format("{} more", count), depth, 0, &node(parent)};
    for (auto place = small; place != places.end(); ++place) more.bytes += place->row.bytes;
    places.erase(small, places.end());
    places.push_back({std::move(more), 0});
  }

  const LayerTree& tree_;
  std::uint64_t small_bytes_;
  std::vector<std::vector<std::uint32_t>> children_;
};

}  // namespace

std::vector<LayerRow> all_layer_rows(const LayerTree& tree, std::uint32_t depth) {
  if (tree.nodes.empty()) return {};
  return Layout(tree, 0).rows([&](const Layout::Place& place) { return place.row.depth + 1 < depth; });
}

std::vector<LayerRow> largest_layer_rows(const LayerTree& tree, std::size_t rows) {
  if (tree.nodes.empty()) return {};
  constexpr std::uint64_t kSmall = 100, kWorthOpening = 20;  // parts of the whole
  const std::uint64_t whole = sum(tree.nodes.front().total);
  const Layout layout(tree, std::max<std::uint64_t>(1, whole / kSmall));
  std::vector<bool> is_open(tree.nodes.size());
  std::vector<Layout::Place> candidates = layout.below(0, 0);
  std::size_t shown = candidates.size();
  while (!candidates.empty()) {
    const auto largest =
        std::ranges::max_element(candidates, {}, [](const Layout::Place& place) { return place.row.bytes; });
    const Layout::Place place = *largest;
    candidates.erase(largest);
    if (place.row.bytes < whole / kWorthOpening) break;
    if (place.node == 0 || !layout.has_children(place.node)) continue;
    const std::vector<Layout::Place> below = layout.below(place.node, 0);
    if (shown + below.size() > rows) continue;
    is_open[place.node] = true;
    shown += below.size();
    candidates.insert(candidates.end(), below.begin(), below.end());
  }
  return layout.rows([&](const Layout::Place& place) { return bool{is_open[place.node]}; });
}

}  // namespace strata::report
