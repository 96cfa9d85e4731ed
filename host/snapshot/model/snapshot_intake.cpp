// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/model/snapshot_intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace strata::snapshot {
namespace {

constexpr auto kKeys = std::to_array<std::string_view>({"action",
                                                        "addr",
                                                        "size",
                                                        "stream",
                                                        "time_us",
                                                        "frames",
                                                        "category",
                                                        "user_metadata",
                                                        "compile_context",
                                                        "segment_pool_id",
                                                        "pool_id",
                                                        "device_free",
                                                        "name",
                                                        "filename",
                                                        "line",
                                                        "stage",
                                                        "device",
                                                        "segments",
                                                        "device_traces",
                                                        "external_annotations",
                                                        "allocator_settings",
                                                        "strata",
                                                        "address",
                                                        "total_size",
                                                        "is_expandable",
                                                        "blocks",
                                                        "requested_size",
                                                        "state",
                                                        "categories"});
static_assert(kKeys.size() == static_cast<std::size_t>(Key::kCount));

// In the order of Action.
constexpr auto kActions =
    std::to_array<std::string_view>({"alloc", "free_requested", "free_completed", "segment_alloc",
                                     "segment_free", "segment_map", "segment_unmap", "oom", "snapshot"});

Action action_of(std::string_view name) {
  const auto found = std::ranges::find(kActions, name);
  return found == kActions.end() ? Action::kOther : static_cast<Action>(found - kActions.begin());
}

std::optional<Key> key_of(Value value) {
  if (value.kind() != Kind::kText || value.payload() >= kKeys.size()) return std::nullopt;
  return static_cast<Key>(value.payload());
}

std::int64_t number(const Unpickler& pickle, Value value, std::string_view what) {
  const std::optional<std::int64_t> found = pickle.integer(value);
  if (!found) pickle.refuse(fmt::format("'{}' of a snapshot's entry is not an integer", what));
  return *found;
}

// A text that may be missing. A number stands for itself, as profilers write categories.
std::uint32_t text_or_none(Unpickler& pickle, Value value) {
  if (const std::optional<std::uint32_t> text = pickle.text(value)) return *text;
  return kNone;
}

// torch's word for an allocation outside of compiled code.
constexpr std::string_view kNotCompiled = "N/A";

constexpr std::uint64_t kMix = 0xff51afd7ed558ccd;

}  // namespace

std::size_t SnapshotIntake::NoteHash::operator()(const Note& note) const {
  std::uint64_t hash = note.category * kMix ^ note.user_metadata;
  hash = (hash * kMix ^ note.compile_context) * kMix ^ note.pool;
  return hash * kMix >> 7;
}

std::size_t SnapshotIntake::FrameHash::operator()(const Frame& frame) const {
  std::uint64_t hash = frame.function * kMix ^ frame.file;
  hash = hash * kMix ^ frame.line;
  return hash * kMix >> 7;
}

void SnapshotIntake::prepare(Unpickler& pickle) {
  for (const std::string_view key : kKeys) pickle.texts().add(key);
}

std::optional<Record> SnapshotIntake::take(Unpickler& pickle, std::span<const Value> items) {
  for (std::size_t index = 0; index < items.size(); index += 2) {
    const std::optional<Key> key = key_of(items[index]);
    if (key == Key::kAction) return Record{kEntryRecord, take_entry(pickle, items)};
    if (key == Key::kFilename) {
      if (const auto taken = frame(pickle, items)) return Record{kFrameRecord, *taken};
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> SnapshotIntake::frame(Unpickler& pickle, std::span<const Value> items) {
  Frame frame{kNone, kNone, 0};
  for (std::size_t index = 0; index < items.size(); index += 2) {
    const std::optional<Key> key = key_of(items[index]);
    if (key == Key::kName) frame.function = text_or_none(pickle, items[index + 1]);
    if (key == Key::kFilename) frame.file = text_or_none(pickle, items[index + 1]);
    if (key == Key::kLine) {
      const std::int64_t line = number(pickle, items[index + 1], "line");
      frame.line = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(line, 0, std::numeric_limits<std::int32_t>::max()));
    }
  }
  if (frame.function == kNone || frame.file == kNone) return std::nullopt;
  const auto [found, is_new] =
      frames_.try_emplace(frame, static_cast<std::uint32_t>(snapshot_.frames.size()));
  if (is_new) snapshot_.frames.push_back(frame);
  return found->second;
}

std::uint32_t SnapshotIntake::take_entry(Unpickler& pickle, std::span<const Value> items) {
  constexpr std::size_t kMostEntries = std::numeric_limits<std::uint32_t>::max();
  if (snapshot_.entries.size() >= kMostEntries) pickle.refuse("more than four billion entries");
  TraceEntry entry;
  Note note;
  // From the last to the first, because the newest list is then given back first.
  for (std::size_t index = items.size(); index >= 2; index -= 2) {
    const std::optional<Key> key = key_of(items[index - 2]);
    const Value value = items[index - 1];
    if (!key) continue;
    switch (*key) {
      case Key::kAction: {
        const std::optional<std::uint32_t> action = pickle.text(value);
        if (!action) pickle.refuse("'action' of a snapshot's entry is not a text");
        entry.action = action_of(pickle.texts()[*action]);
        break;
      }
      case Key::kAddr:
      case Key::kDeviceFree:
        entry.address = static_cast<std::uint64_t>(number(pickle, value, "addr"));
        break;
      case Key::kSize:
        entry.bytes = static_cast<std::uint64_t>(number(pickle, value, "size"));
        break;
      case Key::kStream:
        entry.stream = static_cast<std::uint64_t>(number(pickle, value, "stream"));
        break;
      case Key::kTimeUs:
        entry.time_us = number(pickle, value, "time_us");
        break;
      case Key::kFrames:
        entry.stack = stack(pickle, value);
        break;
      case Key::kCategory:
        note.category = text_or_none(pickle, value);
        break;
      case Key::kUserMetadata:
        note.user_metadata = text_or_none(pickle, value);
        break;
      case Key::kCompileContext:
        note.compile_context = text_or_none(pickle, value);
        if (note.compile_context != kNone && pickle.texts()[note.compile_context] == kNotCompiled)
          note.compile_context = kNone;
        break;
      case Key::kSegmentPoolId:
      case Key::kPoolId:
        note.pool = pool(pickle, value);
        break;
      default:
        break;
    }
  }
  entry.note = this->note(note) & 0xfffffff;
  snapshot_.entries.push_back(entry);
  return static_cast<std::uint32_t>(snapshot_.entries.size() - 1);
}

std::uint32_t SnapshotIntake::note(const Note& note) {
  constexpr std::size_t kMostNotes = std::size_t{1} << 28;
  if (snapshot_.notes.size() >= kMostNotes) return 0;
  const auto [found, is_new] = notes_.try_emplace(note, static_cast<std::uint32_t>(snapshot_.notes.size()));
  if (is_new) snapshot_.notes.push_back(note);
  return found->second;
}

// As the source torch writes them in run stores.
std::uint64_t SnapshotIntake::pool(Unpickler& pickle, Value value) {
  if (!pickle.is_tuple(value) && !pickle.is_list(value)) return 0;
  const std::span<const Value> pair = pickle.items(value);
  if (pair.size() != 2) return 0;
  const auto part = [&](Value half) { return static_cast<std::uint64_t>(pickle.integer(half).value_or(0)); };
  return part(pair[0]) << 32 | (part(pair[1]) & 0xffffffff);
}

std::uint32_t SnapshotIntake::frame_of(Unpickler& pickle, Value value) {
  const std::optional<Record> record = pickle.record(value);
  if (record && record->type == kFrameRecord) return static_cast<std::uint32_t>(record->number);
  if (pickle.is_dict(value)) {
    if (const auto taken = frame(pickle, pickle.items(value))) return *taken;
  }
  pickle.refuse("a frame of a stack is not a dict with name, filename and line");
}

std::uint32_t SnapshotIntake::stack(Unpickler& pickle, Value frames) {
  if (frames.kind() == Kind::kNone) return kNone;
  const std::optional<Record> record = pickle.record(frames);
  if (record && record->type == kStackRecord) return static_cast<std::uint32_t>(record->number);
  if (!pickle.is_list(frames)) pickle.refuse("'frames' is not a list");
  scratch_.clear();
  for (const Value frame : pickle.items(frames)) scratch_.push_back(frame_of(pickle, frame));
  const std::uint32_t stack = scratch_.empty() ? kNone : snapshot_.stacks.add(scratch_);
  pickle.replace(frames, {kStackRecord, stack});
  return stack;
}

std::uint32_t SnapshotIntake::entry(Unpickler& pickle, Value value) {
  const std::optional<Record> record = pickle.record(value);
  if (record && record->type == kEntryRecord) return static_cast<std::uint32_t>(record->number);
  if (!pickle.is_dict(value)) pickle.refuse("an entry of device_traces is not a dict");
  const std::uint32_t taken = take_entry(pickle, pickle.items(value));
  pickle.replace(value, {kEntryRecord, taken});
  return taken;
}

std::optional<Value> find(const Unpickler& pickle, Value dict, Key key) {
  if (!pickle.is_dict(dict)) return std::nullopt;
  const std::span<const Value> items = pickle.items(dict);
  for (std::size_t index = 0; index < items.size(); index += 2) {
    if (key_of(items[index]) == key) return items[index + 1];
  }
  return std::nullopt;
}

}  // namespace strata::snapshot
