// SPDX-License-Identifier: Apache-2.0
// Follows the store of one process while it is being written, reading each row once.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "host/analysis/live/live_rank.hpp"
#include "host/analysis/live/live_reader.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// The store's current writer, according to its folder.
enum class LiveWriter : std::uint8_t { kAlive, kGone, kNone };

class LiveStore {
 public:
  // `run_directory` contains the manifest.
  LiveStore(std::filesystem::path run_directory, std::uint32_t rank, std::uint32_t pid);

  // Reads new rows, for about `budget` at most. The file is only open inside this call. While `writer` is
  // kAlive, rows newer than kSettledAfter wait for the next call; determine `writer` before calling. Read
  // errors are in LiveRank::problem.
  void refresh(const std::filesystem::path& database, LiveWriter writer, LiveReader::Clock::duration budget);

  // `now_ns` is on CLOCK_MONOTONIC; used while the process runs.
  LiveRank view(std::int64_t now_ns) const;

 private:
  void read_meta(const StoreFile& file, LiveWriter writer);
  std::filesystem::path manifest() const;
  void read_manifest_once();
  void read_interruption();
  void read_gaps(const StoreFile& file);
  void read_rows(const StoreFile& file, LiveReader::Clock::time_point deadline);
  void apply(const LiveRows& rows);
  void bind(const LiveTensor& tensor);
  void name_phases(const StoreFile& file);
  void forget();

  struct DeviceState;
  LiveDevice view_of(const Device& device, const DeviceState& state) const;

  struct DeviceState {
    LiveBlocks blocks;
    LiveDeviceSample sample;
    std::uint64_t named_peak = 0;  // the sequence of the peak to which step and phase belong
    std::int64_t peak_step = -1;
    std::string peak_phase;
  };

  std::filesystem::path run_directory_;
  LiveRank rank_;
  LiveReader reader_;
  LiveSteps steps_;
  LivePhases phases_;
  std::map<Device, DeviceState> devices_;
  std::map<std::uint32_t, std::string> phase_names_;  // by the store's id of the text
  std::uint64_t dry_memory_bytes_ = 0;
  bool manifest_read_ = false;
  std::int64_t begin_ns_ = 0, newest_ns_ = 0;
};

}  // namespace strata::analysis
