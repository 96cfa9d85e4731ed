// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream/event_stream.hpp"

#include <algorithm>
#include <tuple>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/stream/joined_columns.hpp"

namespace strata::report {
namespace {

using analysis::Block;
using analysis::MemoryFacts;

struct Death {
  std::uint64_t sequence;
  std::uint32_t block;
};

// A block of a damaged store may die before it is born: it ends at once.
std::vector<Death> deaths_in_order(const std::vector<Block>& blocks) {
  std::vector<Death> deaths;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].death_sequence != UINT64_MAX)
      deaths.push_back({std::max(blocks[i].death_sequence, blocks[i].birth_sequence), i});
  }
  std::ranges::sort(deaths, {}, [](const Death& death) { return std::tie(death.sequence, death.block); });
  return deaths;
}

// If one event ends a block and begins another, the end comes first.
EventStream every_event(const std::vector<Block>& blocks) {
  const std::vector<Death> deaths = deaths_in_order(blocks);
  EventStream stream;
  stream.events.reserve(blocks.size() + deaths.size());
  stream.allocations.reserve(blocks.size());
  std::int64_t now_ns = INT64_MIN;
  const auto append = [&](std::uint64_t sequence, std::int64_t ns, std::uint32_t block, bool frees) {
    now_ns = std::max(now_ns, ns);
    stream.events.push_back({sequence, now_ns, block, frees});
  };
  auto death = deaths.begin();
  const auto end_until = [&](std::uint64_t sequence, std::uint32_t born) {
    for (; death != deaths.end() && death->sequence <= sequence && death->block < born; ++death)
      append(death->sequence, blocks[death->block].death_ns, death->block, true);
  };
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    end_until(blocks[i].birth_sequence, i);
    append(blocks[i].birth_sequence, blocks[i].birth_ns, i, false);
    stream.allocations.push_back({blocks[i].bytes, i, blocks[i].category});
  }
  end_until(UINT64_MAX, UINT32_MAX);
  return stream;
}

}  // namespace

std::size_t EventStream::state_before(std::uint64_t sequence) const {
  const auto found = std::ranges::lower_bound(events, sequence, {}, &StreamEvent::sequence);
  return static_cast<std::size_t>(found - events.begin());
}

std::size_t EventStream::state_after(std::uint64_t sequence) const {
  const auto found = std::ranges::upper_bound(events, sequence, {}, &StreamEvent::sequence);
  return static_cast<std::size_t>(found - events.begin());
}

EventStream event_stream(const MemoryFacts& facts, const StreamLimits& limits) {
  EventStream stream = every_event(facts.blocks);
  stream.recorded_events = stream.events.size();
  stream.exact_end = stream.events.size();
  if (stream.events.size() <= limits.events) return stream;

  const std::size_t most = limits.events;
  const std::size_t peak = stream.state_after(facts.peak.sequence);
  std::size_t begin = peak > most / 2 ? peak - most / 2 : 0;
  const auto step = std::ranges::find(facts.steps, facts.peak.step, &analysis::StepFact::index);
  if (step != facts.steps.end()) {
    const std::size_t first = stream.state_before(step->begin_sequence);
    const std::size_t last = stream.state_after(step->end_sequence);
    if (last - first <= most) begin = std::clamp(begin, last - std::min(last, most), first);
  }
  begin = std::min(begin, stream.events.size() - most);
  return with_joined_columns(stream, begin, begin + most, limits.joined_columns);
}

}  // namespace strata::report
