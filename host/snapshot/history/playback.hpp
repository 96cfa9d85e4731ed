// SPDX-License-Identifier: Apache-2.0
// Plays back what the allocator of one device did, from what it held at first to what the snapshot lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/snapshot/history/block_size.hpp"
#include "host/snapshot/history/history_begin.hpp"

namespace strata::snapshot {

// An event as in a run store (strata/ext/memory.h), without its place in the run.
struct MemoryEvent {
  std::uint32_t action = 0;  // STRATA_MEMORY_*
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;        // as requested
  std::uint64_t whole_bytes = 0;  // of an allocation: of its block
  std::uint64_t device_free_bytes = 0;
  std::uint64_t stream = 0, pool = 0;
  std::uint32_t stack = kNone;
  std::uint32_t note = 0;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void event(const MemoryEvent& event) = 0;
};

struct HeldAtFirst {
  std::uint64_t blocks = 0, allocated_bytes = 0, reserved_bytes = 0;
};

class Playback {
 public:
  // Both outlive this.
  Playback(const Snapshot& snapshot, const DeviceSnapshot& device);

  const HeldAtFirst& held_at_first() const { return held_; }
  std::size_t entries() const { return begin_.entries; }
  // Whether the snapshot differs from the history's end: it was switched off before.
  bool was_stopped() const;

  // What is held before the first entry, then entry by entry, then the difference to the snapshot.
  void begin(EventSink& sink);
  bool has_next() const { return next_ < begin_.entries; }
  const TraceEntry& peek() const { return snapshot_.entries[device_.trace[next_]]; }
  void next(EventSink& sink);
  void end(EventSink& sink);

 private:
  void play(const TraceEntry& entry, EventSink& sink);
  void allocate(std::uint64_t address, HeldBlock block, EventSink& sink);
  void release(std::uint64_t address, std::uint64_t stream, EventSink& sink);
  void defer(std::uint64_t address, const HeldBlock& block, EventSink& sink);
  void complete(std::uint64_t address, EventSink& sink);
  void take_segment(std::uint64_t begin, const HeldSegment& segment, EventSink& sink);
  void give_segment(std::uint64_t begin, std::uint64_t end, EventSink& sink);
  bool is_completed_at_once(const TraceEntry& free) const;
  std::uint64_t pool_of(std::uint64_t address, std::uint32_t note) const;

  const Snapshot& snapshot_;
  const DeviceSnapshot& device_;
  const SkippedActions skipped_;
  const BlockSize sizes_;
  HistoryBegin begin_;
  HeldAtFirst held_;
  Blocks blocks_;
  Segments segments_;
  std::size_t next_ = 0;
};

}  // namespace strata::snapshot
