// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/history/history_begin.hpp"

#include <algorithm>
#include <unordered_set>

#include "host/snapshot/history/block_size.hpp"

namespace strata::snapshot {
namespace {

class BackwardWalk {
 public:
  BackwardWalk(const Snapshot& snapshot, const DeviceSnapshot& device)
      : snapshot_(snapshot), device_(device), skipped_(skipped_actions(snapshot, device)) {}

  HistoryBegin walk() && {
    take_final_state();
    begin_.entries = end_of_history();
    for (std::size_t position = begin_.entries; position > 0; --position)
      undo(snapshot_.entries[device_.trace[position - 1]], position - 1);
    give_whole_sizes();
    return std::move(begin_);
  }

 private:
  void take_final_state() {
    for (const FinalSegment& segment : device_.segments) {
      begin_.segments[segment.address] = {segment.address + segment.bytes, segment.stream, segment.pool,
                                          segment.is_expandable, true};
      for (const FinalBlock& block : segment.blocks) {
        begin_.blocks[block.address] = {.bytes = block.bytes,
                                        .requested_bytes = block.requested_bytes,
                                        .stream = segment.stream,
                                        .stack = block.stack,
                                        .note = block.note,
                                        .awaits_free = block.state == BlockState::kAwaitingFree,
                                        .is_final = true};
      }
    }
  }

  // torch lists the segments, marks that moment in the trace, and then copies the trace: other threads may
  // have added entries since. If the marker is of an earlier snapshot, the entries behind it fit the list.
  std::size_t end_of_history() const {
    const std::size_t all = device_.trace.size();
    std::size_t marker = all;
    while (marker > 0 && entry(marker - 1).action != Action::kSnapshot) --marker;
    if (marker == 0 || marker == all) return all;
    std::unordered_map<std::uint64_t, bool> is_live;
    for (std::size_t position = marker; position < all; ++position) {
      const Action action = entry(position).action;
      if (action == Action::kAllocate) is_live[entry(position).address] = true;
      if (action == Action::kFreeRequested) is_live[entry(position).address] = false;
    }
    std::int64_t fits = 0;
    for (const auto& [address, live] : is_live) {
      const auto block = begin_.blocks.find(address);
      const bool is_listed = block != begin_.blocks.end() && !block->second.awaits_free;
      fits += is_listed == live ? 1 : -1;
    }
    return fits < 0 ? marker : all;
  }

  const TraceEntry& entry(std::size_t position) const { return snapshot_.entries[device_.trace[position]]; }

  void undo(const TraceEntry& entry, std::size_t position) {
    switch (entry.action) {
      case Action::kAllocate:
        return undo_allocation(entry, position);
      case Action::kFreeRequested:
        return undo_free(entry, false);
      case Action::kFreeCompleted:
        return undo_free(entry, !skipped_.free_requested);
      case Action::kSegmentAllocate:
      case Action::kSegmentMap:
        if (cut(begin_.segments, entry.address, entry.address + entry.bytes).empty())
          begin_.late_segment_frees.emplace_back(entry.address, entry.address + entry.bytes);
        return;
      case Action::kSegmentFree:
      case Action::kSegmentUnmap:
        return undo_segment_free(entry);
      default:
        return;
    }
  }

  void undo_allocation(const TraceEntry& entry, std::size_t position) {
    const auto found = begin_.blocks.find(entry.address);
    if (found == begin_.blocks.end()) {
      // Freed after the history's end.
      make_room(entry.address, entry.bytes);
      begin_.late_frees.insert(entry.address);
      return;
    }
    const HeldBlock& block = found->second;
    const bool is_it = !block.is_final || (block.requested_bytes == 0 ? entry.bytes <= block.bytes
                                                                      : entry.bytes == block.requested_bytes);
    if (!is_it) {
      begin_.late_blocks.emplace_back(found->first, block);
      begin_.late_frees.insert(entry.address);
    } else if (block.is_final) {
      begin_.known_bytes[position] = block.bytes;
    }
    begin_.blocks.erase(found);
  }

  void undo_free(const TraceEntry& entry, bool awaits_free) {
    const auto found = begin_.blocks.find(entry.address);
    if (found != begin_.blocks.end() && !awaits_free && found->second.awaits_free) {
      found->second.awaits_free = false;
      found->second.is_final = false;
      return;
    }
    if (found != begin_.blocks.end() && !found->second.is_final) return;  // freed twice: damaged
    make_room(entry.address, entry.bytes);
    begin_.blocks[entry.address] = {.bytes = entry.bytes,
                                    .requested_bytes = entry.bytes,
                                    .stream = entry.stream,
                                    .note = entry.note,
                                    .awaits_free = awaits_free};
  }

  void undo_segment_free(const TraceEntry& entry) {
    const std::uint64_t end = entry.address + entry.bytes;
    for (auto& cut_out : cut(begin_.segments, entry.address, end)) {
      if (cut_out.second.is_final) begin_.late_segments.push_back(cut_out);
    }
    begin_.segments[entry.address] = {end, entry.stream, snapshot_.notes[entry.note].pool,
                                      entry.action == Action::kSegmentUnmap, false};
  }

  // Two blocks never overlap: a listed one was made after the history's end.
  void make_room(std::uint64_t address, std::uint64_t bytes) {
    for (auto& block : cut(begin_.blocks, address, address + std::max<std::uint64_t>(bytes, 1)))
      if (block.second.is_final) begin_.late_blocks.push_back(block);
  }

  // Of blocks that were freed in the history the requested size alone is known.
  void give_whole_sizes() {
    const BlockSize sizes(snapshot_.settings);
    for (auto block = begin_.blocks.begin(); block != begin_.blocks.end(); ++block) {
      if (block->second.is_final) continue;
      block->second.bytes =
          sizes.whole(begin_.blocks, begin_.segments, block->first, block->second.requested_bytes);
    }
  }

  const Snapshot& snapshot_;
  const DeviceSnapshot& device_;
  const SkippedActions skipped_;
  HistoryBegin begin_;
};

// A short trace may hold the second half of a free alone. That of a block that it allocates itself has a
// first.
bool completes_own_blocks(const Snapshot& snapshot, const DeviceSnapshot& device) {
  std::unordered_set<std::uint64_t> allocated;
  for (const std::uint32_t number : device.trace) {
    const TraceEntry& entry = snapshot.entries[number];
    if (entry.action == Action::kAllocate) allocated.insert(entry.address);
    if (entry.action == Action::kFreeCompleted && allocated.contains(entry.address)) return true;
  }
  return false;
}

// Or the first half alone: then the blocks still wait for the second.
bool leaves_all_waiting(const Snapshot& snapshot, const DeviceSnapshot& device) {
  std::unordered_set<std::uint64_t> waiting;
  for (const FinalSegment& segment : device.segments) {
    for (const FinalBlock& block : segment.blocks)
      if (block.state == BlockState::kAwaitingFree) waiting.insert(block.address);
  }
  return std::ranges::all_of(device.trace, [&](std::uint32_t number) {
    const TraceEntry& entry = snapshot.entries[number];
    return entry.action != Action::kFreeRequested || waiting.contains(entry.address);
  });
}

}  // namespace

SkippedActions skipped_actions(const Snapshot& snapshot, const DeviceSnapshot& device) {
  bool has_requested = false, has_completed = false;
  for (const std::uint32_t number : device.trace) {
    const Action action = snapshot.entries[number].action;
    has_requested |= action == Action::kFreeRequested;
    has_completed |= action == Action::kFreeCompleted;
    if (has_requested && has_completed) break;
  }
  if (has_requested == has_completed) return {};
  return {.free_requested = has_completed && completes_own_blocks(snapshot, device),
          .free_completed = has_requested && !leaves_all_waiting(snapshot, device)};
}

HistoryBegin begin_of_history(const Snapshot& snapshot, const DeviceSnapshot& device) {
  return BackwardWalk(snapshot, device).walk();
}

}  // namespace strata::snapshot
