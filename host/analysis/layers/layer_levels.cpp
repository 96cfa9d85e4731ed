// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/layer_levels.hpp"

#include <algorithm>
#include <utility>

namespace strata::analysis {
namespace {

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

}  // namespace

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

}  // namespace strata::analysis
