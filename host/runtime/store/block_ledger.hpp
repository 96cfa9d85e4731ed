// SPDX-License-Identifier: Apache-2.0
// Which rows of memory events belong together: an allocation, its free, and the registrations and saves of
// the block in between. A store can then remove old steps and still know to the byte what is alive later.
//
// It receives every row of every step, in order, and keeps what is alive and what is pending. It does not use
// SQLite; rows are identified by their number in their table.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace strata {

// A step, up to the begin of the next one: its row in host_step_begin. 0 is everything before the first step.
using StepZone = std::uint64_t;

struct LedgerDevice {
  std::uint32_t type = 0, index = 0;
  auto operator<=>(const LedgerDevice&) const = default;
};

struct LedgerEvent {
  std::int64_t rowid = 0;
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint32_t action = 0;
  LedgerDevice device;
  std::uint64_t address = 0, bytes = 0, handed_out_bytes = 0, op = 0;
  std::uint32_t module = 0;
};

struct LedgerTensor {
  std::int64_t rowid = 0;
  std::uint64_t sequence = 0;
  std::uint32_t role = 0;
  LedgerDevice device;
  std::uint64_t address = 0;
};

struct LedgerSave {
  std::int64_t rowid = 0;
  std::uint64_t sequence = 0;
  std::uint32_t action = 0;
  std::uint64_t saved = 0;
  LedgerDevice device;
  std::uint64_t address = 0;
  std::uint32_t module = 0;
};

// The rows of one step, each list sorted by sequence.
struct LedgerRows {
  std::vector<LedgerEvent> events;
  std::vector<LedgerTensor> tensors;
  std::vector<LedgerSave> saves;
  std::map<LedgerDevice, std::uint64_t> next_handed_out;  // in each device's first event after the step
};

// The peak of a step on one device.
struct LedgerPeak {
  LedgerDevice device;
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;  // the two peaks may be at different moments
  std::uint64_t sequence = 0;                             // of the allocated peak
  std::int64_t ns = 0;
};

// Data of a step that kept rows refer to.
struct LedgerMark {
  StepZone zone = 0;
  std::uint64_t sequence = 0, op = 0;
  std::uint32_t module = 0;
};

// Rows to remove now.
struct LedgerRemoval {
  std::vector<std::int64_t> events, tensors, saves;
  // Events to remove, except for the counter that gives the size of the allocation before them.
  std::vector<std::int64_t> stubs;
  std::vector<LedgerMark> marks;  // that nothing refers to any more
};

class BlockLedger {
 public:
  // Returns the peak of each device with any memory. `begin_*` are those of the step.
  std::vector<LedgerPeak> add(StepZone zone, std::uint64_t begin_sequence, std::int64_t begin_ns,
                              const LedgerRows& rows);

  // Whether an allocation failed in the step added last.
  bool has_failure() const { return has_failure_; }

  // Takes everything that lies completely within steps up to `last`, none of them in `whole`.
  LedgerRemoval take(StepZone last, const std::set<StepZone>& whole);
  // Call after `whole` has lost steps.
  void look_again();

  // Calls `use` for everything that has not been taken and refers to `zone`.
  void each_mark(StepZone zone, const std::function<void(const LedgerMark&)>& use) const;

  std::size_t alive() const { return slots_.size() - free_slots_.size(); }

 private:
  struct EventRef {
    std::int64_t rowid = 0;
    std::int64_t follows = 0;  // the preceding allocation on the device, if the device counts
  };
  struct Hold {
    std::int64_t save_row = 0, release_row = 0;
    StepZone save_zone = 0, release_zone = 0;
    std::uint32_t module = 0;
  };
  struct Registration {
    std::int64_t rowid = 0;
    std::uint32_t role = 0;
  };
  // A block or a segment. All rows about it are removed together.
  struct Lifetime {
    EventRef born, died;
    LedgerMark birth, death;
    StepZone first = 0, last = 0;
    std::uint64_t address = 0, bytes = 0;
    bool stays = false;  // in any case
    std::vector<EventRef> others;
    std::vector<Registration> registrations;
    std::vector<Hold> holds;  // the first, and the one released last
  };
  enum class Of : std::uint8_t { kEvents, kTensors, kSaves };
  struct Loose {
    Of of = Of::kEvents;
    EventRef row;
    StepZone first = 0, last = 0;
  };
  struct OpenHold {
    std::uint32_t slot = 0;
    std::uint64_t birth_sequence = 0;  // of the block; 0: none
    Hold hold;
  };
  struct Account {
    std::map<std::uint64_t, std::uint32_t> blocks;  // slots by address
    std::map<std::uint64_t, Lifetime> segments;
    std::map<std::uint64_t, Lifetime> deferred;
    bool has_freed = false;
    Lifetime freed;  // the last block; the next event says whether its memory is still used
    std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
    bool has_segments = false;
    Loose reserved;                    // the last event with the total
    std::int64_t last_allocation = 0;  // its row, if it was the last event and the device counts
    LedgerPeak peak;
  };

  void event(StepZone zone, const LedgerEvent& event, std::uint64_t whole_bytes);
  void allocate(StepZone zone, Account& account, const LedgerEvent& event, EventRef row, std::uint64_t bytes);
  void release(StepZone zone, Account& account, const LedgerEvent& event, EventRef row);
  void segment(StepZone zone, Account& account, const LedgerEvent& event, EventRef row);
  void bind(StepZone zone, const LedgerTensor& tensor);
  void save(StepZone zone, const LedgerSave& row);
  void finish(Lifetime lifetime);
  void settle_freed(Account& account);
  Lifetime* holder(const LedgerDevice& device, std::uint64_t address, std::uint32_t* slot = nullptr);
  Lifetime* holder_of(Account& account, std::uint64_t address, std::uint32_t* slot);
  void take_event(EventRef row, LedgerRemoval& removal);
  void take_loose(StepZone last, const std::set<StepZone>& whole, std::vector<Loose>& taken);

  std::map<LedgerDevice, Account> accounts_;
  std::vector<Lifetime> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Lifetime> ended_, blocked_;  // not taken yet; blocked only by whole steps
  std::vector<Loose> loose_, blocked_loose_;
  std::unordered_map<std::uint64_t, OpenHold> open_holds_;  // by the number of the save
  std::unordered_map<std::int64_t, std::int64_t>
      sized_by_next_;  // allocations in the store, with their stub or 0
  bool has_failure_ = false;
};

}  // namespace strata
