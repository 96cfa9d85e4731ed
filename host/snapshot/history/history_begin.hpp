// SPDX-License-Identifier: Apache-2.0
// What was held when a snapshot's history begins. The file only says what is held at its end: its history is
// followed back from there, entry by entry. So a ring buffer that has dropped its oldest entries, and a
// history that was switched on late, begin with the right sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/snapshot/history/held_memory.hpp"
#include "host/snapshot/model/snapshot.hpp"

namespace strata::snapshot {

struct HistoryBegin {
  Blocks blocks;
  Segments segments;
  // Number of entries up to the moment of the snapshot; other threads may have added more.
  std::size_t entries = 0;
  // Of blocks allocated in the history that the snapshot lists: their sizes, by position in the trace.
  std::unordered_map<std::size_t, std::uint64_t> known_bytes;
  // The difference between the history's end and the snapshot, if the history was switched off before.
  std::set<std::uint64_t> late_frees;
  std::vector<std::pair<std::uint64_t, HeldBlock>> late_blocks;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> late_segment_frees;  // begin and end
  std::vector<std::pair<std::uint64_t, HeldSegment>> late_segments;
};

// What a trace leaves out: torch 2.11 and later can skip actions.
struct SkippedActions {
  bool free_requested = false, free_completed = false;
};
SkippedActions skipped_actions(const Snapshot& snapshot, const DeviceSnapshot& device);

HistoryBegin begin_of_history(const Snapshot& snapshot, const DeviceSnapshot& device);

}  // namespace strata::snapshot
