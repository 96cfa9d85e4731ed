// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/caching_allocator.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

// c10's kMinBlockSize: no block is of another multiple.
constexpr std::uint64_t kBlockUnit = 512;

// c10's kSmallBuffer and kLargeBuffer: the units in which a growing segment is mapped, for small and for
// other blocks.

// The device memory of an allocator: begin to end.
using Extents = std::map<std::uint64_t, std::uint64_t>;

void remove(Extents& extents, std::uint64_t begin, std::uint64_t end) {
  auto extent = extents.upper_bound(begin);
  if (extent != extents.begin()) --extent;
  while (extent != extents.end() && extent->first < end) {
    const auto [first, last] = *extent;
    extent = extents.erase(extent);
    if (last <= begin) {
      extents.emplace(first, last);
      continue;
    }
    if (first < begin) extents.emplace(first, begin);
    if (last > end) extent = extents.emplace(end, last).first;
  }
}

// With neighbours as one.
Extents joined(const Extents& extents) {
  Extents whole;
  for (const auto& [begin, end] : extents) {
    if (!whole.empty() && std::prev(whole.end())->second == begin) {
      std::prev(whole.end())->second = end;
    } else {
      whole[begin] = end;
    }
  }
  return whole;
}

// A segment does not end within a block, so this one was mapped in pieces.
bool reaches_beyond(const Extents& segments, std::uint64_t begin, std::uint64_t end) {
  const auto after = segments.upper_bound(begin);
  return after != segments.begin() && std::prev(after)->second > begin && std::prev(after)->second < end;
}

std::uint64_t largest_gap(const Extents& segments, const Extents& blocks) {
  std::uint64_t largest = 0;
  for (const auto& [begin, end] : segments) {
    const auto add = [&](std::uint64_t from, std::uint64_t to) {
      if (from < to) largest = std::max(largest, to - from);
    };
    std::uint64_t from = begin;
    for (auto block = blocks.lower_bound(begin); block != blocks.end() && block->first < end; ++block) {
      add(from, block->first);
      from = std::max(from, block->second);
    }
    add(from, end);
  }
  return largest;
}

auto first_after(const std::vector<ReservedPoint>& points, std::uint64_t sequence) {
  return std::partition_point(points.begin(), points.end(),
                              [&](const ReservedPoint& point) { return point.sequence <= sequence; });
}

}  // namespace

void use_whole_blocks(std::vector<MemoryRow>& events) {
  const auto counts = [](const MemoryRow& event) { return event.handed_out_bytes != 0; };
  if (std::ranges::none_of(events, counts)) return;
  for (std::size_t index = 0; index < events.size(); ++index) {
    MemoryRow& event = events[index];
    if (event.action != STRATA_MEMORY_ALLOCATE) continue;
    const std::uint64_t asked = event.bytes;
    event.bytes = (asked + kBlockUnit - 1) / kBlockUnit * kBlockUnit;
    if (index + 1 < events.size()) {
      const std::uint64_t next = events[index + 1].handed_out_bytes;
      // The count can be set back by the program in between.
      if (next >= event.handed_out_bytes && next - event.handed_out_bytes >= asked)
        event.bytes = next - event.handed_out_bytes;
    }
    event.rounding_bytes = event.bytes - asked;
  }
}

std::vector<ReservedPoint> reserved_points(const std::vector<MemoryRow>& events) {
  std::vector<ReservedPoint> points;
  std::uint64_t bytes = 0;
  for (const MemoryRow& event : events) {
    const auto segment_bytes = static_cast<std::int64_t>(event.bytes);
    const bool takes = event.action == STRATA_MEMORY_SEGMENT_ALLOCATE;
    if (event.action == STRATA_MEMORY_RESERVED) {
      const std::int64_t change = segment_bytes - static_cast<std::int64_t>(bytes);
      bytes = event.bytes;
      points.push_back({event.sequence, event.ns, bytes, kNoSegment, change, {}});
      continue;
    }
    if (takes) {
      bytes += event.bytes;
    } else if (event.action == STRATA_MEMORY_SEGMENT_FREE) {
      bytes -= std::min(bytes, event.bytes);
    } else {
      continue;
    }
    points.push_back({event.sequence,
                      event.ns,
                      bytes,
                      event.address,
                      takes ? segment_bytes : -segment_bytes,
                      {event.stream, event.pool}});
  }
  return points;
}

bool grows_segments(const std::string& settings) {
  return settings.find("expandable_segments:True") != std::string::npos;
}

bool has_segments(const std::vector<ReservedPoint>& points) {
  const auto is_segment = [](const ReservedPoint& point) { return point.segment_address != kNoSegment; };
  return points.empty() || std::ranges::any_of(points, is_segment);
}

void find_gaps(const std::vector<MemoryRow>& events, const std::string& settings,
               std::vector<FailureRow>& failures) {
  if (failures.empty()) return;
  bool grow = grows_segments(settings);
  Extents segments, blocks;
  auto failure = failures.begin();
  for (const MemoryRow& event : events) {
    const std::uint64_t end = event.address + event.bytes;
    switch (event.action) {
      case STRATA_MEMORY_SEGMENT_ALLOCATE:
        segments[event.address] = end;
        break;
      case STRATA_MEMORY_SEGMENT_FREE:
        remove(segments, event.address, end);
        break;
      case STRATA_MEMORY_ALLOCATE:
        blocks[event.address] = end;
        grow = grow || reaches_beyond(segments, event.address, end - event.rounding_bytes);
        break;
      case STRATA_MEMORY_FREE:
        blocks.erase(event.address);
        break;
      default: {
        if (event.sequence != failure->sequence) break;
        failure->largest_gap_bytes = largest_gap(grow ? joined(segments) : segments, blocks);
        if (++failure == failures.end()) return;
      }
    }
  }
}

std::uint64_t reserved_at(const std::vector<ReservedPoint>& points, std::uint64_t sequence) {
  const auto next = first_after(points, sequence);
  return next == points.begin() ? 0 : std::prev(next)->bytes;
}

std::uint64_t most_reserved(const std::vector<ReservedPoint>& points, std::uint64_t begin_sequence,
                            std::uint64_t end_sequence) {
  std::uint64_t most = reserved_at(points, begin_sequence);
  for (auto point = first_after(points, begin_sequence);
       point != points.end() && point->sequence <= end_sequence; ++point) {
    most = std::max(most, point->bytes);
  }
  return most;
}

}  // namespace strata::analysis
