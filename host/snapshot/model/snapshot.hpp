// SPDX-License-Identifier: Apache-2.0
// What a snapshot of torch.cuda.memory contains: plain data. Sizes in bytes, times in microseconds since
// 1970. Texts are numbers of Snapshot::texts; kNone: there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/snapshot/pickle/text_table.hpp"

namespace strata::snapshot {

inline constexpr std::uint32_t kNone = UINT32_MAX;

enum class Action : std::uint8_t {
  kAllocate,
  kFreeRequested,
  kFreeCompleted,
  kSegmentAllocate,
  kSegmentFree,
  kSegmentMap,  // of an expandable segment
  kSegmentUnmap,
  kOutOfMemory,  // the address is the device's free bytes
  kSnapshot,
  kOther,  // of another torch: left out
};

struct TraceEntry {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // as requested
  std::uint64_t stream = 0;
  std::int64_t time_us = 0;     // 0: not recorded
  std::uint32_t stack = kNone;  // of Snapshot::stacks
  std::uint32_t note : 28 = 0;  // of Snapshot::notes
  Action action : 4 = Action::kOther;
};
static_assert(sizeof(TraceEntry) == 40);

// What torch or the program said about an allocation. The first of all notes is empty.
struct Note {
  std::uint32_t category = kNone, user_metadata = kNone, compile_context = kNone;
  std::uint64_t pool = 0;
  bool operator==(const Note&) const = default;
};

struct Frame {
  std::uint32_t function = 0, file = 0;
  std::uint32_t line = 0;
  bool operator==(const Frame&) const = default;
};

// Stacks, each once, as numbers of frames, innermost first.
class Stacks {
 public:
  std::uint32_t add(std::span<const std::uint32_t> frames);
  std::span<const std::uint32_t> operator[](std::uint32_t stack) const {
    return std::span(frames_).subspan(ends_[stack], ends_[stack + 1] - ends_[stack]);
  }
  std::size_t size() const { return ends_.size() - 1; }

 private:
  void grow();
  std::vector<std::uint32_t> frames_;
  std::vector<std::size_t> ends_{0};
  std::vector<std::uint32_t> hashes_;  // by stack
  std::vector<std::uint32_t> slots_;   // number + 1; 0 is free. A power of two, at most half full
};

enum class BlockState : std::uint8_t { kAllocated, kAwaitingFree, kFree };

struct FinalBlock {
  std::uint64_t address = 0, bytes = 0, requested_bytes = 0;
  BlockState state = BlockState::kFree;
  std::uint32_t stack = kNone;
  std::uint32_t note = 0;
};

struct FinalSegment {
  std::uint64_t address = 0, bytes = 0, stream = 0, pool = 0;
  bool is_expandable = false;
  std::vector<FinalBlock> blocks;
};

// A range of the program (torch.profiler.record_function).
struct Annotation {
  std::int64_t time_us = 0;
  std::uint32_t name = kNone;
  bool begins = false;
};

struct DeviceSnapshot {
  std::vector<std::uint32_t> trace;  // of Snapshot::entries, oldest first
  std::vector<FinalSegment> segments;
  std::vector<Annotation> annotations;
};

// As far as they decide how large a block is.
struct AllocatorSettings {
  std::string text;  // as in PYTORCH_CUDA_ALLOC_CONF
  bool is_known = false;
  bool expandable_segments = false;
  std::uint64_t max_split_bytes = UINT64_MAX;
  std::vector<std::uint64_t> roundup_power2_divisions;  // from 1 MiB, each for twice the size; empty: none
};

struct Snapshot {
  std::deque<TraceEntry> entries;
  std::vector<Note> notes{{}};
  std::vector<Frame> frames;
  Stacks stacks;
  TextTable texts;                      // which lie in the mapped file
  std::vector<DeviceSnapshot> devices;  // by index
  AllocatorSettings settings;
  std::string origin;  // "strata": written by its export; else empty
};

}  // namespace strata::snapshot
