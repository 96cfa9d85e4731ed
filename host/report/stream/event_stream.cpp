// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream/event_stream.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <tuple>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::report {
namespace {

// Shortens a stream with more events than a page can hold, outside of one interval.

using analysis::kCategories;

constexpr std::size_t kNever = SIZE_MAX;

class Joining {
 public:
  Joining(const EventStream& whole, std::size_t begin, std::size_t end)
      : whole_(whole), kept_(alive_within(begin, end)), new_index_(whole.allocations.size(), 0) {
    joined_.fill(UINT32_MAX);
  }

  // Events [first, last), `column_events` at a time.
  void join(std::size_t first, std::size_t last, std::size_t column_events) {
    for (std::size_t begin = first; begin < last; begin += column_events)
      join_column(begin, std::min(begin + column_events, last));
    if (first == last) return;
    settle(whole_.events[last - 1], bytes_of_others_);
  }

  void copy(std::size_t first, std::size_t last) {
    stream_.exact_begin = stream_.events.size();
    for (std::size_t i = first; i < last; ++i) {
      total_ += change_bytes(whole_.events[i]);
      take(whole_.events[i], whole_.events[i]);
    }
    stream_.exact_end = stream_.events.size();
  }

  EventStream finish() && {
    stream_.recorded_events = whole_.recorded_events;
    return std::move(stream_);
  }

 private:
  std::vector<bool> alive_within(std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> birth(whole_.allocations.size(), kNever), death(birth);
    for (std::size_t i = 0; i < whole_.events.size(); ++i)
      (whole_.events[i].frees ? death : birth)[whole_.events[i].allocation] = i;
    std::vector<bool> kept(birth.size());
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = birth[i] < end && death[i] >= begin;
    return kept;
  }

  // The amount to add, modulo 2^64.
  std::uint64_t change_bytes(const StreamEvent& event) const {
    const std::uint64_t bytes = whole_.allocations[event.allocation].bytes;
    return event.frees ? 0 - bytes : bytes;
  }

  void join_column(std::size_t begin, std::size_t end) {
    auto largest = bytes_of_others_;
    auto largest_total = total_;
    std::size_t kept_by_then = waiting_.size();
    for (std::size_t i = begin; i < end; ++i) {
      const StreamEvent& event = whole_.events[i];
      const std::uint64_t change = change_bytes(event);
      total_ += change;
      if (kept_[event.allocation])
        waiting_.push_back(event);
      else
        bytes_of_others_[static_cast<std::size_t>(whole_.allocations[event.allocation].category)] += change;
      if (total_ <= largest_total && i > begin) continue;
      largest_total = total_;
      largest = bytes_of_others_;
      kept_by_then = waiting_.size();
    }
    const std::vector<StreamEvent> later(waiting_.begin() + static_cast<std::ptrdiff_t>(kept_by_then),
                                         waiting_.end());
    waiting_.resize(kept_by_then);
    settle(whole_.events[begin], largest);
    waiting_ = later;
  }

  // Applies all pending changes and sets joined blocks to these sizes; frees first, so that no state in
  // between is larger than the states before and after.
  void settle(const StreamEvent& when, const analysis::CategoryBytes& others) {
    for (const StreamEvent& event : waiting_)
      if (event.frees) take(event, when);
    for (std::size_t category = 0; category < kCategories; ++category) {
      if (others[category] == shown_[category] || shown_[category] == 0) continue;
      stream_.events.push_back({when.sequence, when.ns, joined_[category], true});
    }
    for (const StreamEvent& event : waiting_)
      if (!event.frees) take(event, when);
    for (std::size_t category = 0; category < kCategories; ++category) {
      if (others[category] == shown_[category]) continue;
      shown_[category] = others[category];
      if (others[category] == 0) continue;
      joined_[category] = static_cast<std::uint32_t>(stream_.allocations.size());
      stream_.allocations.push_back(
          {others[category], kJoinedBlocks, static_cast<analysis::Category>(category)});
      stream_.events.push_back({when.sequence, when.ns, joined_[category], false});
    }
    waiting_.clear();
  }

  void take(const StreamEvent& event, const StreamEvent& when) {
    if (!event.frees) {
      new_index_[event.allocation] = static_cast<std::uint32_t>(stream_.allocations.size());
      stream_.allocations.push_back(whole_.allocations[event.allocation]);
    }
    stream_.events.push_back({when.sequence, when.ns, new_index_[event.allocation], event.frees});
  }

  const EventStream& whole_;
  EventStream stream_;
  std::vector<bool> kept_;  // of allocations: alive at some moment of the interval
  std::vector<std::uint32_t> new_index_;
  std::vector<StreamEvent> waiting_;  // of kept ones, until the next column begins
  std::uint64_t total_ = 0;
  analysis::CategoryBytes bytes_of_others_{};  // as they are
  analysis::CategoryBytes shown_{};            // as the stream shows them
  std::array<std::uint32_t, kCategories> joined_{};
};

// `whole` contains every event; those in [begin, end) remain individual. Before and after, at most `columns`
// columns with equal numbers of events each show their largest moment, as described in EventStream. Blocks
// alive within the interval remain individual, born and freed with the column: so no state of the stream is
// larger than a real one.
EventStream with_joined_columns(const EventStream& whole, std::size_t begin, std::size_t end,
                                std::size_t columns) {
  const std::size_t outside = whole.events.size() - (end - begin);
  const std::size_t column_events =
      std::max<std::size_t>((outside + columns - 1) / std::max<std::size_t>(columns, 1), 1);
  Joining joining(whole, begin, end);
  joining.join(0, begin, column_events);
  joining.copy(begin, end);
  joining.join(end, whole.events.size(), column_events);
  return std::move(joining).finish();
}

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
