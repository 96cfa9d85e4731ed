// SPDX-License-Identifier: Apache-2.0
// The training loop's own events: run, steps, phases, and the window that opens and closes with the steps.
//
// All functions are [loop-thread] except `end_run`, which the process's exit may call from any thread; after
// that, all other calls have no effect.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "host/runtime/events/fan_out.hpp"
#include "host/runtime/events/window_schedule.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/run.h"
#include "strata/ext/step.h"

namespace strata {

inline constexpr std::uint32_t kMaximumOpenPhases = 32;

class LoopThread {
 public:
  // Both outlive this. `settle_limit`: how long the end of the window and of the run waits for threads that
  // are inside an event.
  LoopThread(FanOut& fan_out, const WindowSchedule& schedule, std::chrono::nanoseconds settle_limit);

  void begin_run(const strata_run_info& run);
  void ready();
  // If a run is on, makes the sources flush (STRATA_FLUSH_*) while their events still pass. Called right
  // before `end_run`.
  void flush_before_end(std::uint32_t flush_reason);
  // If a run is on: ends everything open on all threads, makes the plugins flush, and delivers the run's end
  // (STRATA_RUN_*). No other run can begin afterwards. Returns false if a thread stayed inside an event:
  // plugins then get no end and must not be destroyed.
  [[nodiscard]] bool end_run(std::uint32_t reason, std::uint32_t flush_reason);

  // In a forked child: no run is on any more, and plugins get no further calls.
  void disarm() noexcept;

  void begin_step(std::uint64_t index, std::uint32_t micro_batches, std::uint64_t epoch = STRATA_NO_EPOCH);
  void begin_micro_batch(std::uint32_t index);
  void end_step(const strata_step_result& result);

  // Whether any plugin listens to phases now; only then must a phase's name be interned.
  bool wants_phases() const noexcept { return !fan_out_.gate().routes().phase.empty(); }
  std::uint32_t begin_phase(std::uint32_t kind, const strata_name& name, bool inferred = false);
  void end_phase(std::uint32_t ordinal);

  // [any]
  bool window_open() const noexcept { return window_open_.load(std::memory_order_relaxed); }
  // [any] Whether the calling thread made the last call of the run or of a step.
  bool is_loop_thread() const noexcept;

 private:
  class Turn;

  void deliver_run_begin(ThreadState& thread, const strata_when& when, const strata_run_info& run,
                         bool to_sources);
  void open_window();
  void close_window();
  void end_open_step(const strata_step_result& result);
  void end_innermost_phase();
  // Flushes sources or plugins. Sources come first, while events still pass, so that their pending events
  // reach the plugins before those flush.
  void flush(bool sources, std::uint32_t reason, std::chrono::nanoseconds limit);

  FanOut& fan_out_;
  const WindowSchedule& schedule_;
  const std::chrono::nanoseconds settle_limit_;
  std::atomic<bool> running_{false};
  std::atomic<bool> window_open_{false};
  std::atomic<bool> busy_{false};  // check mode: a loop thread call is in progress
  std::atomic<std::uint32_t> thread_{0};
  bool step_open_ = false;
  OpenRange<strata_step_info> step_{};
  std::uint32_t phases_outside_step_ = 0;  // open when the step began
  std::uint32_t phases_begun_ = 0;
  RangeStack<strata_phase_info, kMaximumOpenPhases> phases_{};
};

}  // namespace strata
