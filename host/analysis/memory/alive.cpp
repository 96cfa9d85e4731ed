// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/memory/alive.hpp"

#include <algorithm>
#include <numeric>

namespace strata::analysis {

MostAlive most_alive(const std::vector<const Block*>& blocks) {
  struct Event {
    std::uint64_t sequence;
    const Block* block;
    bool is_birth;
  };
  std::vector<Event> events;
  for (const Block* block : blocks) {
    events.push_back({block->birth_sequence, block, true});
    events.push_back({block->death_sequence, block, false});
  }
  std::ranges::sort(events, {}, &Event::sequence);
  MostAlive now, most;
  for (const Event& event : events) {
    if (event.is_birth) {
      now.bytes += event.block->bytes;
      ++now.blocks;
      if (now.bytes > most.bytes) most = {event.sequence, now.bytes, now.blocks};
    } else {
      now.bytes -= event.block->bytes;
      --now.blocks;
    }
  }
  return most;
}

std::uint64_t bytes_of(const std::vector<const Block*>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Block* block) { return sum + block->bytes; });
}

}  // namespace strata::analysis
