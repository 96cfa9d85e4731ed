// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/model/read_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "host/snapshot/model/snapshot_intake.hpp"
#include "host/snapshot/pickle/unpickler.hpp"

namespace strata::snapshot {
namespace {

constexpr std::uint64_t kMostDevices = 1024;

class SnapshotReader {
 public:
  SnapshotReader(std::span<const std::byte> file, const std::string& name)
      : intake_(snapshot_), pickle_(file, name, &intake_) {
    intake_.prepare(pickle_);
  }

  Snapshot read(const std::function<void(std::size_t)>& passed) && {
    const Value root = pickle_.read(passed);
    const auto segments = find(pickle_, root, Key::kSegments);
    const auto traces = find(pickle_, root, Key::kDeviceTraces);
    if (!segments || !traces || !pickle_.is_list(*segments) || !pickle_.is_list(*traces)) {
      pickle_.refuse(
          "it is a pickle, but not a snapshot of torch.cuda.memory: it has no segments and device_traces. "
          "Expected "
          "a file of torch.cuda.memory._dump_snapshot()");
    }
    read_traces(*traces);
    read_segments(*segments);
    if (const auto annotations = find(pickle_, root, Key::kExternalAnnotations))
      read_annotations(*annotations);
    if (const auto settings = find(pickle_, root, Key::kAllocatorSettings)) read_settings(*settings);
    if (find(pickle_, root, Key::kStrata)) snapshot_.origin = "strata";
    snapshot_.texts = std::move(pickle_.texts());
    return std::move(snapshot_);
  }

 private:
  // References make it possible to name a list many times: no file has more items than bytes.
  void visit() {
    if (++visited_ > pickle_.file_bytes())
      pickle_.refuse("its lists are longer than the file: it was made to exhaust memory");
  }

  std::uint64_t number(Value dict, Key key) {
    const std::optional<Value> value = find(pickle_, dict, key);
    return value ? static_cast<std::uint64_t>(pickle_.integer(*value).value_or(0)) : 0;
  }

  std::string_view word(Value dict, Key key) {
    const std::optional<Value> value = find(pickle_, dict, key);
    const auto text = value ? pickle_.text(*value) : std::nullopt;
    return text ? pickle_.texts()[*text] : std::string_view();
  }

  DeviceSnapshot& device(std::uint64_t index) {
    if (index >= kMostDevices)
      pickle_.refuse(fmt::format("device {} exceeds the number of devices of any machine", index));
    if (snapshot_.devices.size() <= index) snapshot_.devices.resize(index + 1);
    return snapshot_.devices[index];
  }

  void read_traces(Value traces) {
    const std::size_t devices = pickle_.items(traces).size();
    for (std::size_t index = 0; index < devices; ++index) {
      visit();
      const Value trace = pickle_.items(traces)[index];
      if (!pickle_.is_list(trace)) pickle_.refuse("an item of device_traces is not a list");
      std::vector<std::uint32_t>& entries = device(index).trace;
      const std::size_t count = pickle_.items(trace).size();
      entries.reserve(std::min(count, pickle_.file_bytes()));
      for (std::size_t item = 0; item < count; ++item) {
        visit();
        entries.push_back(intake_.entry(pickle_, pickle_.items(trace)[item]));
      }
    }
  }

  FinalBlock block(Value dict, std::uint64_t address) {
    FinalBlock block;
    block.address = find(pickle_, dict, Key::kAddress) ? number(dict, Key::kAddress) : address;
    block.bytes = number(dict, Key::kSize);
    const bool is_requested = find(pickle_, dict, Key::kRequestedSize).has_value();
    block.requested_bytes = is_requested ? number(dict, Key::kRequestedSize) : block.bytes;
    const std::string_view state = word(dict, Key::kState);
    // "active_pending_free" in memory, "active_awaiting_free" in the documentation.
    block.state = state == "active_allocated"   ? BlockState::kAllocated
                  : state.starts_with("active") ? BlockState::kAwaitingFree
                                                : BlockState::kFree;
    if (const auto frames = find(pickle_, dict, Key::kFrames)) block.stack = intake_.stack(pickle_, *frames);
    Note note;
    const auto text = [&](Key key) {
      const std::optional<Value> value = find(pickle_, dict, key);
      return value ? pickle_.text(*value).value_or(kNone) : kNone;
    };
    note.category = text(Key::kCategory);
    note.user_metadata = text(Key::kUserMetadata);
    block.note = intake_.note(note);
    return block;
  }

  void read_segments(Value segments) {
    const std::size_t count = pickle_.items(segments).size();
    for (std::size_t index = 0; index < count; ++index) {
      visit();
      const Value dict = pickle_.items(segments)[index];
      if (!pickle_.is_dict(dict)) pickle_.refuse("an item of segments is not a dict");
      FinalSegment& segment = device(number(dict, Key::kDevice)).segments.emplace_back();
      segment.address = number(dict, Key::kAddress);
      segment.bytes = number(dict, Key::kTotalSize);
      segment.stream = number(dict, Key::kStream);
      if (const auto pool = find(pickle_, dict, Key::kSegmentPoolId))
        segment.pool = SnapshotIntake::pool(pickle_, *pool);
      const auto grows = find(pickle_, dict, Key::kIsExpandable);
      segment.is_expandable = grows && grows->kind() == Kind::kBool && grows->payload() != 0;
      read_blocks(dict, segment);
    }
  }

  void read_blocks(Value dict, FinalSegment& segment) {
    const auto blocks = find(pickle_, dict, Key::kBlocks);
    if (!blocks || !pickle_.is_list(*blocks)) return;
    std::uint64_t address = segment.address;
    const std::size_t count = pickle_.items(*blocks).size();
    for (std::size_t item = 0; item < count; ++item) {
      visit();
      const Value each = pickle_.items(*blocks)[item];
      if (!pickle_.is_dict(each)) pickle_.refuse("a block of a segment is not a dict");
      const FinalBlock read = block(each, address);
      address = read.address + read.bytes;
      if (read.state != BlockState::kFree) segment.blocks.push_back(read);
    }
  }

  void read_annotations(Value annotations) {
    if (!pickle_.is_list(annotations)) return;
    const std::size_t count = pickle_.items(annotations).size();
    for (std::size_t index = 0; index < count; ++index) {
      visit();
      const Value dict = pickle_.items(annotations)[index];
      const auto name = find(pickle_, dict, Key::kName);
      const auto text = name ? pickle_.text(*name) : std::nullopt;
      const std::string_view stage = word(dict, Key::kStage);
      const std::uint64_t of = number(dict, Key::kDevice);
      if (!text || (stage != "START" && stage != "END") || of >= kMostDevices) continue;
      device(of).annotations.push_back(
          {static_cast<std::int64_t>(number(dict, Key::kTimeUs)), *text, stage == "START"});
    }
  }

  void read_settings(Value dict) {
    if (!pickle_.is_dict(dict)) return;
    AllocatorSettings& settings = snapshot_.settings;
    const std::span<const Value> items = pickle_.items(dict);
    for (std::size_t index = 0; index < items.size(); index += 2) {
      const auto key = pickle_.text(items[index]);
      if (!key) continue;
      const std::string_view name = pickle_.texts()[*key];
      const Value value = items[index + 1];
      if (name == "PYTORCH_CUDA_ALLOC_CONF" || name == "PYTORCH_ALLOC_CONF") {
        settings.is_known = true;
        if (const auto text = pickle_.text(value)) settings.text = pickle_.texts()[*text];
      }
      if (name == "expandable_segments" && value.kind() == Kind::kBool)
        settings.expandable_segments = value.payload() != 0;
      if (name == "max_split_size") {
        const std::int64_t most = pickle_.integer(value).value_or(-1);
        if (most > 0) settings.max_split_bytes = static_cast<std::uint64_t>(most);
      }
      if (name == "roundup_power2_divisions" && pickle_.is_dict(value)) read_divisions(value);
    }
  }

  void read_divisions(Value dict) {
    std::map<std::uint64_t, std::uint64_t> divisions;
    const std::span<const Value> items = pickle_.items(dict);
    for (std::size_t index = 0; index < items.size(); index += 2) {
      const auto key = pickle_.text(items[index]);
      const auto value = pickle_.integer(items[index + 1]);
      if (!key || !value || *value < 0) continue;
      const std::string_view text = pickle_.texts()[*key];
      std::uint64_t megabytes = 0;
      std::from_chars(text.data(), text.data() + text.size(), megabytes);
      divisions[megabytes] = static_cast<std::uint64_t>(*value);
    }
    for (const auto& [megabytes, division] : divisions)
      snapshot_.settings.roundup_power2_divisions.push_back(division);
  }

  Snapshot snapshot_;
  SnapshotIntake intake_;
  Unpickler pickle_;
  std::uint64_t visited_ = 0;
};

}  // namespace

Snapshot read_snapshot(std::span<const std::byte> file, const std::string& name,
                       const std::function<void(std::size_t)>& passed) {
  return SnapshotReader(file, name).read(passed);
}

}  // namespace strata::snapshot
