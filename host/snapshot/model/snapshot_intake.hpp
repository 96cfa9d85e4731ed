// SPDX-License-Identifier: Apache-2.0
// Takes in the millions of small dicts of a snapshot while its pickle is read: trace entries, and frames of
// stacks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/snapshot/model/snapshot.hpp"
#include "host/snapshot/pickle/unpickler.hpp"

namespace strata::snapshot {

// The keys of a snapshot's dicts; each is the number of its text.
enum class Key : std::uint32_t {
  kAction,
  kAddr,
  kSize,
  kStream,
  kTimeUs,
  kFrames,
  kCategory,
  kUserMetadata,
  kCompileContext,
  kSegmentPoolId,
  kPoolId,
  kDeviceFree,
  kName,
  kFilename,
  kLine,
  kStage,
  kDevice,
  kSegments,
  kDeviceTraces,
  kExternalAnnotations,
  kAllocatorSettings,
  kStrata,
  kAddress,
  kTotalSize,
  kIsExpandable,
  kBlocks,
  kRequestedSize,
  kState,
  kCategories,
  kCount
};

class SnapshotIntake : public Intake {
 public:
  // All outlive this. Adds the keys to the pickle's texts, which must be empty.
  void prepare(Unpickler& pickle);
  explicit SnapshotIntake(Snapshot& snapshot) : snapshot_(snapshot) {}

  std::optional<Record> take(Unpickler& pickle, std::span<const Value> items) override;

  // The numbers in Snapshot. Each throws SnapshotError if the value is something else.
  std::uint32_t entry(Unpickler& pickle, Value value);
  std::uint32_t stack(Unpickler& pickle, Value frames);
  std::uint32_t note(const Note& note);
  static std::uint64_t pool(Unpickler& pickle, Value value);

 private:
  enum RecordType : std::uint8_t { kEntryRecord = 1, kFrameRecord, kStackRecord };
  std::optional<std::uint32_t> frame(Unpickler& pickle, std::span<const Value> items);
  std::uint32_t take_entry(Unpickler& pickle, std::span<const Value> items);
  std::uint32_t frame_of(Unpickler& pickle, Value value);

  struct NoteHash {
    std::size_t operator()(const Note& note) const;
  };
  struct FrameHash {
    std::size_t operator()(const Frame& frame) const;
  };
  Snapshot& snapshot_;
  std::unordered_map<Note, std::uint32_t, NoteHash> notes_{{Note{}, 0}};
  std::unordered_map<Frame, std::uint32_t, FrameHash> frames_;
  std::vector<std::uint32_t> scratch_;
};

// The value of a key in a dict; nothing if it is missing.
std::optional<Value> find(const Unpickler& pickle, Value dict, Key key);

}  // namespace strata::snapshot
