// SPDX-License-Identifier: Apache-2.0
// Errors between the trainer, the sources and the host, counted by kind for the manifest. Training continues.
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
  kPhasesTooDeep,      // more open phases than the host keeps; the inner one was not reported
  kModulesTooDeep,     // the same, on one thread
  kOpsTooDeep,         // the same
  kMemoryEventInside,  // a listener called the framework inside a memory event; the resulting event was
                       // dropped
  kTwoLoopThreads,     // seen in check mode only: two threads drove the run at once
  kOutOfTurn,          // a call came before the run's begin, or a second begin
  kEventsInFlight,    // a thread stayed in an event at the end of the window, or of the run: then plugins got
                      // neither the run's end nor destroy
  kReportedByPlugin,  // a plugin logged HOST_MISBEHAVING
  kCount
};

class SessionFaults {
 public:
  // `check`: also log each one, as HOST_MISBEHAVING.
  explicit SessionFaults(bool check) noexcept : check_(check) {}

  bool check() const noexcept { return check_; }

  // [any] [alloc-lock] (nothing is logged under an allocator's lock). `detail` describes the call and what
  // was open.
  void count(SessionFault fault, std::string_view detail) noexcept;

  // [any] A plugin logged HOST_MISBEHAVING.
  void count_reported() noexcept {
    at(SessionFault::kReportedByPlugin).fetch_add(1, std::memory_order_relaxed);
  }

  // The faults that happened, by their names in the manifest.
  std::map<std::string, std::uint64_t> by_name() const;

 private:
  std::atomic<std::uint64_t>& at(SessionFault fault) noexcept {
    return counts_[static_cast<std::size_t>(fault)];
  }

  bool check_;
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(SessionFault::kCount)> counts_{};
};

}  // namespace strata
