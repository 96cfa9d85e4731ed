// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/history/playback.hpp"

#include <algorithm>
#include <utility>

#include "strata/ext/memory.h"

namespace strata::snapshot {

Playback::Playback(const Snapshot& snapshot, const DeviceSnapshot& device)
    : snapshot_(snapshot),
      device_(device),
      skipped_(skipped_actions(snapshot, device)),
      sizes_(snapshot.settings),
      begin_(begin_of_history(snapshot, device)) {
  for (const auto& [address, segment] : begin_.segments) held_.reserved_bytes += segment.end - address;
  for (const auto& [address, block] : begin_.blocks) {
    if (block.awaits_free) continue;
    ++held_.blocks;
    held_.allocated_bytes += block.bytes;
  }
}

bool Playback::was_stopped() const {
  return !begin_.late_frees.empty() || !begin_.late_blocks.empty() || !begin_.late_segments.empty() ||
         !begin_.late_segment_frees.empty();
}

void Playback::begin(EventSink& sink) {
  for (const auto& [address, segment] : begin_.segments) take_segment(address, segment, sink);
  for (const auto& [address, block] : begin_.blocks) allocate(address, block, sink);
}

void Playback::next(EventSink& sink) {
  play(peek(), sink);
  ++next_;
}

void Playback::end(EventSink& sink) {
  for (const std::uint64_t address : begin_.late_frees) {
    release(address, 0, sink);
    blocks_.erase(address);
  }
  for (const auto& [begin, end] : begin_.late_segment_frees) give_segment(begin, end, sink);
  for (const auto& [address, segment] : begin_.late_segments) take_segment(address, segment, sink);
  for (const auto& [address, block] : begin_.late_blocks) allocate(address, block, sink);
}

void Playback::play(const TraceEntry& entry, EventSink& sink) {
  switch (entry.action) {
    case Action::kAllocate: {
      const auto known = begin_.known_bytes.find(next_);
      // A block that was never freed makes room: its free was skipped.
      for (const auto& [address, block] :
           cut(blocks_, entry.address, entry.address + std::max<std::uint64_t>(entry.bytes, 1))) {
        if (block.awaits_free) continue;
        sink.event({.action = STRATA_MEMORY_FREE,
                    .address = address,
                    .bytes = block.requested_bytes,
                    .stream = block.stream});
      }
      return allocate(entry.address,
                      {.bytes = known != begin_.known_bytes.end()
                                    ? known->second
                                    : sizes_.whole(blocks_, segments_, entry.address, entry.bytes),
                       .requested_bytes = entry.bytes,
                       .stream = entry.stream,
                       .stack = entry.stack,
                       .note = entry.note},
                      sink);
    }
    case Action::kFreeRequested:
      release(entry.address, entry.stream, sink);
      if (const auto block = blocks_.find(entry.address); block != blocks_.end()) {
        if (skipped_.free_completed || is_completed_at_once(entry)) {
          blocks_.erase(block);
        } else {
          block->second.awaits_free = true;
          defer(entry.address, block->second, sink);
        }
      }
      return;
    case Action::kFreeCompleted:
      if (skipped_.free_requested) release(entry.address, entry.stream, sink);
      complete(entry.address, sink);
      blocks_.erase(entry.address);
      return;
    case Action::kSegmentAllocate:
    case Action::kSegmentMap:
      return take_segment(entry.address,
                          {entry.address + entry.bytes, entry.stream, snapshot_.notes[entry.note].pool,
                           entry.action == Action::kSegmentMap, false},
                          sink);
    case Action::kSegmentFree:
    case Action::kSegmentUnmap:
      return give_segment(entry.address, entry.address + entry.bytes, sink);
    case Action::kOutOfMemory:
      sink.event({.action = STRATA_MEMORY_OUT_OF_MEMORY,
                  .bytes = entry.bytes,
                  .device_free_bytes = entry.address,
                  .stream = entry.stream,
                  .stack = entry.stack,
                  .note = entry.note});
      return;
    default:
      return;
  }
}

void Playback::allocate(std::uint64_t address, HeldBlock block, EventSink& sink) {
  const std::uint64_t requested =
      block.requested_bytes == 0 ? block.bytes : std::min(block.requested_bytes, block.bytes);
  block.requested_bytes = requested;
  sink.event({.action = STRATA_MEMORY_ALLOCATE,
              .address = address,
              .bytes = requested,
              .whole_bytes = block.bytes,
              .stream = block.stream,
              .pool = pool_of(address, block.note),
              .stack = block.stack,
              .note = block.note});
  const bool waits = std::exchange(block.awaits_free, false);
  blocks_[address] = block;
  if (!waits) return;
  release(address, block.stream, sink);
  blocks_[address].awaits_free = true;
  defer(address, block, sink);
}

void Playback::release(std::uint64_t address, std::uint64_t stream, EventSink& sink) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || block->second.awaits_free) return;
  sink.event({.action = STRATA_MEMORY_FREE,
              .address = address,
              .bytes = block->second.requested_bytes,
              .stream = stream,
              .pool = pool_of(address, block->second.note)});
}

void Playback::defer(std::uint64_t address, const HeldBlock& block, EventSink& sink) {
  sink.event({.action = STRATA_MEMORY_FREE_DEFERRED,
              .address = address,
              .bytes = block.requested_bytes,
              .stream = block.stream});
}

void Playback::complete(std::uint64_t address, EventSink& sink) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || !block->second.awaits_free) return;
  sink.event({.action = STRATA_MEMORY_FREE_COMPLETED,
              .address = address,
              .bytes = block->second.requested_bytes,
              .stream = block->second.stream});
}

void Playback::take_segment(std::uint64_t begin, const HeldSegment& segment, EventSink& sink) {
  cut(segments_, begin, segment.end);
  segments_[begin] = segment;
  sink.event({.action = STRATA_MEMORY_SEGMENT_ALLOCATE,
              .address = begin,
              .bytes = segment.end - begin,
              .stream = segment.stream,
              .pool = segment.pool});
}

void Playback::give_segment(std::uint64_t begin, std::uint64_t end, EventSink& sink) {
  for (const auto& [address, segment] : cut(segments_, begin, end)) {
    sink.event({.action = STRATA_MEMORY_SEGMENT_FREE,
                .address = address,
                .bytes = segment.end - address,
                .stream = segment.stream,
                .pool = segment.pool});
  }
}

// torch records both entries in a row unless another stream still uses the block.
bool Playback::is_completed_at_once(const TraceEntry& free) const {
  if (next_ + 1 >= device_.trace.size()) return false;
  const TraceEntry& after = snapshot_.entries[device_.trace[next_ + 1]];
  return after.action == Action::kFreeCompleted && after.address == free.address;
}

std::uint64_t Playback::pool_of(std::uint64_t address, std::uint32_t note) const {
  if (const std::uint64_t pool = snapshot_.notes[note].pool; pool != 0) return pool;
  const auto segment = segment_at(segments_, address);
  return segment == segments_.end() ? 0 : segment->second.pool;
}

}  // namespace strata::snapshot
