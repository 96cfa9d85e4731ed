#include "host/analysis/caching_allocator.hpp"

#include <algorithm>

#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

// c10's kMinBlockSize: no block is of another multiple.
constexpr std::uint64_t kBlockUnit = 512;

// The first point after `sequence`.
auto after(const std::vector<ReservedPoint>& points, std::uint64_t sequence) {
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
    if (index + 1 == events.size()) continue;
    const std::uint64_t next = events[index + 1].handed_out_bytes;
    // The count can be set back by the program in between.
    if (next >= event.handed_out_bytes && next - event.handed_out_bytes >= asked)
      event.bytes = next - event.handed_out_bytes;
  }
}

std::vector<ReservedPoint> reserved_points(const std::vector<MemoryRow>& events) {
  std::vector<ReservedPoint> points;
  std::uint64_t bytes = 0;
  for (const MemoryRow& event : events) {
    if (event.action == STRATA_MEMORY_SEGMENT_ALLOCATE) {
      bytes += event.bytes;
    } else if (event.action == STRATA_MEMORY_SEGMENT_FREE) {
      bytes -= std::min(bytes, event.bytes);
    } else {
      continue;
    }
    points.push_back({event.sequence, event.ns, bytes});
  }
  return points;
}

std::uint64_t reserved_at(const std::vector<ReservedPoint>& points, std::uint64_t sequence) {
  const auto next = after(points, sequence);
  return next == points.begin() ? 0 : std::prev(next)->bytes;
}

std::uint64_t most_reserved(const std::vector<ReservedPoint>& points, std::uint64_t begin_sequence,
                            std::uint64_t end_sequence) {
  std::uint64_t most = reserved_at(points, begin_sequence);
  for (auto point = after(points, begin_sequence); point != points.end() && point->sequence <= end_sequence;
       ++point) {
    most = std::max(most, point->bytes);
  }
  return most;
}

}  // namespace strata::analysis
