// SPDX-License-Identifier: Apache-2.0
// What went wrong between the trainer, the sources and the host, counted by kind for the manifest. Training
// goes on.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace strata {

enum class SessionFault : std::uint32_t {
  kUnpairedStep,       // a step began inside another, or ended without a begin
  kUnpairedPhaseEnd,   // a phase ended that was not open
  kUnpairedModuleEnd,  // the same, on its thread
  kUnpairedOpEnd,      // the same
  kPhasesTooDeep,      // more open phases than the host keeps; the inner one was not told
  kModulesTooDeep,     // the same, on one thread
  kOpsTooDeep,         // the same
  kMemoryEventInside,  // a listener called the framework inside a memory event; what came of it was not told
  kTwoLoopThreads,     // seen in check mode only: two threads drove the run at once
  kOutOfTurn,          // a call came before the run's begin, or a second begin
  kEventsInFlight,     // a thread stayed in an event at the window's end, or at the run's: then plugins were
                       // neither told of it nor destroyed
  kReportedByPlugin,   // a plugin logged HOST_MISBEHAVING
  kCount
};

class SessionFaults {
 public:
  // `check`: also log each, as HOST_MISBEHAVING.
  explicit SessionFaults(bool check) noexcept : check_(check) {}

  bool check() const noexcept { return check_; }

  // [any] [alloc-lock] (under an allocator's lock nothing is logged). `detail` says what was called and what
  // was open.
  void count(SessionFault fault, std::string_view detail) noexcept;

  // [any] A plugin logged HOST_MISBEHAVING.
  void count_reported() noexcept {
    at(SessionFault::kReportedByPlugin).fetch_add(1, std::memory_order_relaxed);
  }

  // By the names that the manifest uses, those that happened.
  std::map<std::string, std::uint64_t> by_name() const;

 private:
  std::atomic<std::uint64_t>& at(SessionFault fault) noexcept {
    return counts_[static_cast<std::size_t>(fault)];
  }

  bool check_;
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(SessionFault::kCount)> counts_{};
};

}  // namespace strata
