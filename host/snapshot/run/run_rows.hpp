// SPDX-License-Identifier: Apache-2.0
// Writes events of a snapshot as rows of a run store, in one order over all devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/snapshot/history/playback.hpp"
#include "host/snapshot/model/snapshot.hpp"
#include "host/snapshot/run/run_tables.hpp"

namespace strata::snapshot {

class RunRows {
 public:
  // Both outlive this.
  RunRows(const Snapshot& snapshot, ConvertedRun& run);

  // The next event's time. Never goes back: a clock may.
  void set_time(std::int64_t ns) { now_.monotonic_ns = std::max(now_.monotonic_ns, ns); }
  // Takes the next place in the order.
  ConvertedMoment next_moment();
  std::uint64_t last_sequence() const { return now_.sequence; }

  void write(std::uint32_t device, const MemoryEvent& event);
  // The size of an allocation follows from the next event of its device.
  void close_device(std::uint32_t device);
  void annotate(std::uint32_t device, const Annotation& annotation);

  std::uint64_t events() const { return events_; }
  bool has_stacks() const { return has_stacks_; }
  bool has_categories() const { return has_categories_; }

 private:
  struct OpenRange {
    std::uint64_t op = 0;
    std::uint32_t name = 0;
  };
  struct Device {
    std::uint64_t handed_out_bytes = 0;
    std::vector<OpenRange> open;
    std::int64_t step = -1;  // open; -1: none
  };

  std::uint32_t text(std::uint32_t number);
  void write_stack(std::uint64_t sequence, std::uint32_t stack);
  void write_note(std::uint64_t sequence, const Note& note);
  bool mark_step(std::uint32_t index, const Annotation& annotation, std::string_view name);

  const Snapshot& snapshot_;
  ConvertedRun& run_;
  RunTables tables_;
  ConvertedMoment now_;
  std::vector<Device> devices_;
  std::vector<std::uint32_t> texts_;  // the store's, by number; kNone: not written yet
  std::vector<bool> written_stacks_, written_frames_;
  std::int64_t last_step_ = -1;
  std::uint64_t events_ = 0;
  bool has_stacks_ = false, has_categories_ = false;
};

}  // namespace strata::snapshot
