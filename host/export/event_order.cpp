// SPDX-License-Identifier: Apache-2.0
#include "host/export/event_order.hpp"

#include <algorithm>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::exports {
namespace {

using analysis::Block;
using analysis::MemoryFacts;

bool died(const Block& block) {
  return block.death_sequence != UINT64_MAX;
}

std::vector<std::uint32_t> by_death(const MemoryFacts& facts) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    if (died(facts.blocks[index])) order.push_back(index);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t index) { return facts.blocks[index].death_sequence; });
  return order;
}

}  // namespace

void for_each_event(const MemoryFacts& facts, const std::function<void(const Event&)>& use) {
  const std::vector<std::uint32_t> deaths = by_death(facts);
  std::size_t birth = 0, death = 0, segment = 0;
  while (true) {
    const std::uint64_t birth_at =
        birth < facts.blocks.size() ? facts.blocks[birth].birth_sequence : UINT64_MAX;
    const std::uint64_t death_at =
        death < deaths.size() ? facts.blocks[deaths[death]].death_sequence : UINT64_MAX;
    const std::uint64_t segment_at =
        segment < facts.reserved.size() ? facts.reserved[segment].sequence : UINT64_MAX;
    if (death < deaths.size() && death_at <= segment_at && death_at <= birth_at) {
      use({Event::Kind::kFree, deaths[death++]});
    } else if (segment < facts.reserved.size() && segment_at <= birth_at) {
      use({Event::Kind::kSegment, segment++});
    } else if (birth < facts.blocks.size()) {
      use({Event::Kind::kAllocate, birth++});
    } else {
      return;
    }
  }
}

std::uint64_t count_events(const MemoryFacts& facts) {
  return facts.blocks.size() + facts.reserved.size() +
         static_cast<std::uint64_t>(std::ranges::count_if(facts.blocks, died));
}

}  // namespace strata::exports
