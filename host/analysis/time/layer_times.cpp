// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "host/analysis/layers/layer_paths.hpp"
#include "host/analysis/time/time_tables.hpp"

namespace strata::analysis {
namespace {

class LayerTable {
 public:
  LayerTable() { nodes_.push_back({}); }

  void add_self(std::string_view path, const LayerTime::Amount& amount) {
    std::size_t node = 0;
    nodes_[0].time.total += amount;
    for_each_part(path, [&](std::string_view whole, std::string_view label) {
      node = child(node, whole, label);
      nodes_[node].time.total += amount;
    });
    nodes_[node].time.self += amount;
  }

  // Each before those below it, of siblings the longest first.
  std::vector<LayerTime> in_order() {
    std::vector<LayerTime> rows;
    place(0, rows);
    return rows;
  }

 private:
  struct Node {
    LayerTime time;
    std::map<std::string, std::size_t, std::less<>> below;
  };

  // A name in parentheses is no path.
  template <typename Use>
  static void for_each_part(std::string_view path, Use use) {
    if (path.starts_with('(')) return use(path, path);
    std::size_t parts = 0;
    for (std::size_t begin = 0; begin <= path.size();) {
      const bool is_last = ++parts == kMostPathParts;
      const std::size_t end = std::min(is_last ? path.size() : path.find('.', begin), path.size());
      use(path.substr(0, end), path.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  std::size_t child(std::size_t node, std::string_view path, std::string_view label) {
    if (const auto found = nodes_[node].below.find(label); found != nodes_[node].below.end())
      return found->second;
    const std::size_t made = nodes_.size();
    nodes_[node].below.emplace(label, made);
    Node below;
    below.time.path = path;
    below.time.label = label;
    below.time.depth = nodes_[node].time.depth + 1;
    nodes_.push_back(std::move(below));
    return made;
  }

  void place(std::size_t node, std::vector<LayerTime>& rows) const {
    rows.push_back(nodes_[node].time);
    std::vector<std::size_t> below;
    for (const auto& [label, index] : nodes_[node].below) below.push_back(index);
    std::ranges::stable_sort(below, std::greater{}, [&](std::size_t index) {
      const LayerTime::Amount& total = nodes_[index].time.total;
      return std::pair(total.host_ns() + total.device_ns, total.operators);
    });
    for (const std::size_t index : below) place(index, rows);
  }

  std::vector<Node> nodes_;
};

std::string path_of(const RunTimes& times, std::uint32_t layer, std::uint32_t phase) {
  if (layer != 0) return times.run.texts[layer];
  return phase == kNoRow ? "(no phase)" : "(" + times.run.texts[times.run.phases[phase].name] + ")";
}

}  // namespace

std::vector<LayerTime> layer_times(const RunTimes& times) {
  // Paths are few, and operators many.
  std::map<std::pair<std::uint32_t, std::uint32_t>, LayerTime::Amount> sums;  // by layer, or by phase's name
  const auto sum_of = [&](std::uint32_t layer, std::uint32_t phase) -> LayerTime::Amount& {
    return sums[{layer, layer != 0 ? kNoRow : phase}];
  };
  for (std::size_t index = 0; index < times.ops.size(); ++index) {
    const OpSpan& op = times.ops[index];
    if (!times.is_of_window(op)) continue;
    LayerTime::Amount& sum = sum_of(op.layer, op.phase);
    (op.in_backward ? sum.backward_ns : sum.forward_ns) += op.self_ns;
    ++sum.operators;
  }
  const auto& activities = times.run.time.activities;
  for (std::size_t index = 0; index < activities.size(); ++index) {
    const ActivityPlace& place = times.places[index];
    if (!is_device_work(activities[index].kind) || !times.is_of_window(activities[index], place)) continue;
    sum_of(place.layer, place.phase).device_ns += activities[index].end_ns - activities[index].begin_ns;
  }
  LayerTable table;
  for (const auto& [key, amount] : sums) table.add_self(path_of(times, key.first, key.second), amount);
  return sums.empty() ? std::vector<LayerTime>() : table.in_order();
}

}  // namespace strata::analysis
