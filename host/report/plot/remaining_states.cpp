// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/remaining_states.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::report::plot {
namespace {

struct LevelChange {
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;  // to add, modulo 2^64
  std::size_t category = 0;
};

}  // namespace

std::vector<analysis::CategoryBytes> remaining_states(const analysis::MemoryFacts& facts,
                                                      std::span<const std::uint32_t> blocks,
                                                      std::span<const analysis::Point> states) {
  std::vector<LevelChange> changes;
  changes.reserve(2 * blocks.size());
  for (const std::uint32_t index : blocks) {
    const analysis::Block& block = facts.blocks.at(index);
    const auto category = static_cast<std::size_t>(block.category);
    changes.push_back({block.birth_sequence, block.bytes, category});
    changes.push_back({std::max(block.death_sequence, block.birth_sequence), 0 - block.bytes, category});
  }
  std::ranges::sort(changes, {}, &LevelChange::sequence);
  std::vector<analysis::CategoryBytes> levels;
  levels.reserve(states.size());
  analysis::CategoryBytes now{};
  auto change = changes.begin();
  for (const analysis::Point& state : states) {
    for (; change != changes.end() && change->sequence <= state.sequence; ++change)
      now.at(change->category) += change->bytes;
    levels.push_back(now);
  }
  return levels;
}

}  // namespace strata::report::plot
