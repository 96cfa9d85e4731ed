// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/run/convert.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/snapshot/history/playback.hpp"
#include "host/snapshot/mapped_file.hpp"
#include "host/snapshot/model/read_snapshot.hpp"
#include "host/snapshot/run/run_rows.hpp"
#include "host/snapshot/snapshot_error.hpp"

namespace strata::snapshot {
namespace {

// The run's begin on its clock.
constexpr std::int64_t kBeginNs = 1'000'000'000;
// Times beyond (in the year 2112) are no times.
constexpr std::int64_t kLatestUs = std::int64_t{1} << 52;

// One device's entries and annotations, by time.
class DeviceLine : public EventSink {
 public:
  DeviceLine(const Snapshot& snapshot, std::uint32_t index, RunRows& rows)
      : device_(snapshot.devices[index]), index_(index), rows_(rows), playback_(snapshot, device_) {}

  Playback& playback() { return playback_; }
  void event(const MemoryEvent& event) override { rows_.write(index_, event); }

  void begin() { playback_.begin(*this); }
  void end() {
    while (next_annotation_ < device_.annotations.size())
      rows_.annotate(index_, device_.annotations[next_annotation_++]);
    playback_.end(*this);
    rows_.close_device(index_);
  }

  // Nothing when all entries were taken.
  std::optional<std::int64_t> next_us() const {
    if (!playback_.has_next()) return std::nullopt;
    const std::int64_t entry = playback_.peek().time_us;
    if (next_annotation_ == device_.annotations.size()) return entry;
    return std::min(entry, device_.annotations[next_annotation_].time_us);
  }

  void next() {
    if (next_annotation_ < device_.annotations.size() &&
        device_.annotations[next_annotation_].time_us <= playback_.peek().time_us) {
      return rows_.annotate(index_, device_.annotations[next_annotation_++]);
    }
    playback_.next(*this);
  }

 private:
  const DeviceSnapshot& device_;
  std::uint32_t index_;
  RunRows& rows_;
  Playback playback_;
  std::size_t next_annotation_ = 0;
};

class RunWriter {
 public:
  // All outlive this.
  RunWriter(const Snapshot& snapshot, const SnapshotFile& file, ConvertedRun& run)
      : snapshot_(snapshot), file_(file), run_(run), rows_(snapshot, run) {
    for (std::uint32_t index = 0; index < snapshot.devices.size(); ++index) {
      const DeviceSnapshot& device = snapshot.devices[index];
      if (!device.trace.empty() || !device.segments.empty()) lines_.emplace_back(snapshot, index, rows_);
    }
  }

  Conversion write() {
    find_times();
    rows_.set_time(kBeginNs);
    run_.begin(rows_.next_moment(), begin_us_ * 1000);
    for (DeviceLine& line : lines_) line.begin();
    begin_sequence_ = rows_.last_sequence();
    for (;;) {
      DeviceLine* earliest = nullptr;
      std::int64_t earliest_us = 0;
      for (DeviceLine& line : lines_) {
        const std::optional<std::int64_t> us = line.next_us();
        if (!us || (earliest != nullptr && *us >= earliest_us)) continue;
        earliest = &line;
        earliest_us = *us;
      }
      if (earliest == nullptr) break;
      ++played_;
      rows_.set_time(ns_of(earliest_us));
      earliest->next();
    }
    for (DeviceLine& line : lines_) line.end();
    const ConvertedMoment last = rows_.next_moment();
    describe();
    run_.finish(last, begin_us_ * 1000 + last.monotonic_ns - kBeginNs);
    return {rows_.events(), lines_.size()};
  }

 private:
  // torch 2.1 recorded no times: entries then take a microsecond each.
  void find_times() {
    std::int64_t first = 0;
    bool all = true;
    std::size_t entries = 0;
    for (const DeviceSnapshot& device : snapshot_.devices) {
      for (const std::uint32_t number : device.trace) {
        const std::int64_t us = snapshot_.entries[number].time_us;
        ++entries;
        // Strata's export counts from 0.
        all &= us >= 0 && us < kLatestUs && (us > 0 || snapshot_.origin == "strata");
        if (first == 0 || us < first) first = us;
      }
    }
    has_times_ = all && entries > 0;
    begin_us_ = has_times_ ? first : 0;
  }

  std::int64_t ns_of(std::int64_t us) const {
    const std::int64_t since = has_times_ ? us - begin_us_ : static_cast<std::int64_t>(played_);
    return kBeginNs + std::clamp<std::int64_t>(since, 0, kLatestUs) * 1000;
  }

  void describe() {
    std::uint64_t entries = 0, blocks = 0, allocated = 0, reserved = 0;
    bool was_stopped = false;
    for (DeviceLine& line : lines_) {
      entries += line.playback().entries();
      const HeldAtFirst& held = line.playback().held_at_first();
      blocks += held.blocks;
      allocated += held.allocated_bytes;
      reserved += held.reserved_bytes;
      was_stopped |= line.playback().was_stopped();
    }
    nlohmann::ordered_json section{
        {"form", kForm},
        {"file", file_.path},
        {"bytes", file_.bytes},
        {"modified_ns", file_.modified_ns},
        {"entries", entries},
        {"begin_sequence", begin_sequence_},
        {"devices", lines_.size()},
        {"held_at_first", {{"blocks", blocks}, {"allocated_bytes", allocated}, {"reserved_bytes", reserved}}},
        {"has_times", has_times_},
        {"has_stacks", rows_.has_stacks()},
        {"has_categories", rows_.has_categories()},
        {"was_stopped", was_stopped},
        {"origin", snapshot_.origin}};
    const auto replace = nlohmann::ordered_json::error_handler_t::replace;
    run_.describe("snapshot", section.dump(-1, ' ', false, replace));
    if (snapshot_.settings.is_known) {
      run_.describe("allocator", nlohmann::ordered_json{{"settings", snapshot_.settings.text}}.dump(
                                     -1, ' ', false, replace));
    }
  }

  const Snapshot& snapshot_;
  const SnapshotFile& file_;
  ConvertedRun& run_;
  RunRows rows_;
  std::deque<DeviceLine> lines_;
  std::int64_t begin_us_ = 0;
  std::uint64_t begin_sequence_ = 0, played_ = 0;
  bool has_times_ = false;
};

}  // namespace

SnapshotFile identify(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    throw SnapshotError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  return {std::filesystem::absolute(file).lexically_normal().string(),
          static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Conversion convert(const std::filesystem::path& file, const std::filesystem::path& run_directory) {
  const SnapshotFile identity = identify(file);
  const MappedFile mapped(file);
  const Snapshot snapshot =
      read_snapshot(mapped.bytes(), file.string(), [&](std::size_t bytes) { mapped.give_back(bytes); });
  const bool is_empty = std::ranges::all_of(snapshot.devices, [](const DeviceSnapshot& device) {
    return device.trace.empty() && device.segments.empty();
  });
  if (is_empty) {
    throw SnapshotError(fmt::format(
        "{}: the snapshot is empty: no device had memory, and no history was recorded. Call "
        "torch.cuda.memory._record_memory_history() before the training, and _dump_snapshot() during it",
        file.string()));
  }
  ConvertedRun run(run_directory, file.filename().string());
  return RunWriter(snapshot, identity, run).write();
}

}  // namespace strata::snapshot
