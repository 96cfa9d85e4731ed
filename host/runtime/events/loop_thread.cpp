// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/loop_thread.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "host/runtime/clock.hpp"
#include "host/runtime/events/loop_marks.hpp"
#include "strata/ext/flush.h"

namespace strata {
namespace {

using std::chrono::seconds;

constexpr seconds kFlushLimit{10};
constexpr seconds kExitingFlushLimit{2};

seconds flush_limit_of(std::uint32_t reason) {
  return reason == STRATA_FLUSH_EXITING ? kExitingFlushLimit : kFlushLimit;
}

std::uint32_t os_thread() {
  return static_cast<std::uint32_t>(gettid());
}

}  // namespace

// One call of the loop thread: an event like others, and in check mode the proof that no second thread
// drives.
class LoopThread::Turn {
 public:
  Turn(LoopThread& loop_thread, const char* call)
      : loop_thread_(loop_thread),
        call_(call),
        checked_(loop_thread.fan_out_.faults().check()),
        visit_(loop_thread.fan_out_.gate()) {
    if (checked_ && loop_thread_.busy_.exchange(true)) {
      loop_thread_.fan_out_.faults().count(
          SessionFault::kTwoLoopThreads,
          fmt::format("{}: another thread is inside a call of the loop thread", call));
    }
  }
  ~Turn() {
    if (checked_) loop_thread_.busy_.store(false);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Whether a run is on. A call before it is counted. A call after its end may come from the loop thread
  // while another thread calls exit().
  bool running() const {
    if (routes().open) return true;
    if (!routes().ended) {
      loop_thread_.fan_out_.faults().count(SessionFault::kOutOfTurn,
                                           fmt::format("{}: the run has not begun", call_));
    }
    return false;
  }
  const Routes& routes() const { return visit_.routes(); }
  ThreadState& thread() const { return visit_.thread(); }

 private:
  LoopThread& loop_thread_;
  const char* call_;
  bool checked_;
  Visit visit_;
};

LoopThread::LoopThread(FanOut& fan_out, const WindowSchedule& schedule, std::chrono::nanoseconds settle_limit)
    : fan_out_(fan_out), schedule_(schedule), settle_limit_(settle_limit) {}

bool LoopThread::is_loop_thread() const noexcept {
  return thread_.load(std::memory_order_relaxed) == os_thread();
}

// Also an event, so that an end of the run on another thread waits for it.
void LoopThread::begin_run(const strata_run_info& run) {
  const Turn turn(*this, "begin_run");
  if (turn.routes().ended || running_.exchange(true)) {
    fan_out_.faults().count(SessionFault::kOutOfTurn, "begin_run: the run has already begun");
    return;
  }
  thread_.store(os_thread(), std::memory_order_relaxed);
  const strata_when when = fan_out_.stamp(turn.thread());
  // Sources may emit in their begin, so plugins get theirs first.
  deliver_run_begin(turn.thread(), when, run, false);
  if (!fan_out_.open(false)) return;
  deliver_run_begin(turn.thread(), when, run, true);
  fan_out_.leave_out_failed();
}

void LoopThread::deliver_run_begin(ThreadState& thread, const strata_when& when, const strata_run_info& run,
                                   bool to_sources) {
  const std::vector<ListenerSet>& listeners = fan_out_.listeners();
  for (std::uint32_t i = 0; i < listeners.size(); ++i) {
    const ListenerSet& set = listeners[i];
    if (set.source != to_sources || set.run.begin == nullptr) continue;
    fan_out_.guarded(thread, i, [&] { set.run.begin(set.self, &when, &run); });
  }
}

void LoopThread::ready() {
  const Turn turn(*this, "ready");
  if (!turn.running()) return;
  const strata_when when = fan_out_.stamp(turn.thread());
  const std::vector<ListenerSet>& listeners = fan_out_.listeners();
  for (std::uint32_t i = 0; i < listeners.size(); ++i) {
    const ListenerSet& set = listeners[i];
    if (set.run.ready != nullptr) fan_out_.guarded(turn.thread(), i, [&] { set.run.ready(set.self, &when); });
  }
}

void LoopThread::flush_before_end(std::uint32_t flush_reason) {
  if (running_.load()) flush(true, flush_reason, flush_limit_of(flush_reason));
}

bool LoopThread::end_run(std::uint32_t reason, std::uint32_t flush_reason) {
  fan_out_.gate().close();
  ThreadState* thread = this_thread();
  if (!fan_out_.gate().settle(settle_limit_) || thread == nullptr) {
    fan_out_.faults().count(SessionFault::kEventsInFlight, "end_run: a thread is still inside an event");
    return false;
  }
  if (!running_.exchange(false)) return true;
  fan_out_.end_open_ranges();
  while (phases_.depth != 0) end_innermost_phase();
  if (step_open_) end_open_step(unknown_result());
  window_open_.store(false, std::memory_order_relaxed);
  flush(false, flush_reason, flush_limit_of(flush_reason));

  const Visit visit(fan_out_.gate());
  const strata_when when = fan_out_.stamp(*thread);
  const std::vector<ListenerSet>& listeners = fan_out_.listeners();
  for (auto i = static_cast<std::uint32_t>(listeners.size()); i-- > 0;) {
    const ListenerSet& set = listeners[i];
    if (set.run.end != nullptr) fan_out_.guarded(*thread, i, [&] { set.run.end(set.self, &when, reason); });
  }
  return true;
}

void LoopThread::disarm() noexcept {
  running_.store(false, std::memory_order_relaxed);
  fan_out_.gate().close();
}

void LoopThread::begin_step(std::uint64_t index, std::uint32_t micro_batches, std::uint64_t epoch) {
  const Turn turn(*this, "begin_step");
  if (!turn.running()) return;
  thread_.store(os_thread(), std::memory_order_relaxed);
  if (step_open_) {
    fan_out_.faults().count(SessionFault::kUnpairedStep,
                            fmt::format("begin_step({}): step {} has not ended", index, step_.info.index));
    end_open_step(unknown_result());
  }
  if (schedule_.contains(index) && !window_open()) open_window();
  if (!schedule_.contains(index) && window_open()) close_window();

  fan_out_.position().step.store(index, std::memory_order_relaxed);
  fan_out_.position().micro_batch.store(0, std::memory_order_relaxed);
  phases_outside_step_ = phases_.depth;
  step_open_ = true;
  step_.info = {sizeof(strata_step_info), schedule_.stage_of(index), index, micro_batches, 0, epoch};
  step_.heard_by = 0;
  const Routes& routes = fan_out_.gate().routes();
  if (!routes.step.empty())
    fan_out_.deliver_begin(turn.thread(), step_, routes.step, fan_out_.stamp(turn.thread()));
}

void LoopThread::begin_micro_batch(std::uint32_t index) {
  const Turn turn(*this, "begin_micro_batch");
  if (turn.running()) fan_out_.position().micro_batch.store(index, std::memory_order_relaxed);
}

void LoopThread::end_step(const strata_step_result& result) {
  const Turn turn(*this, "end_step");
  if (!turn.running()) return;
  if (!step_open_) {
    fan_out_.faults().count(SessionFault::kUnpairedStep, "end_step: no step is open");
    return;
  }
  const std::uint64_t index = step_.info.index;
  end_open_step(result);
  if (window_open() && index >= schedule_.window().last_step) {
    close_window();
  } else {
    fan_out_.leave_out_failed();
  }
}

void LoopThread::end_open_step(const strata_step_result& result) {
  while (phases_.depth > phases_outside_step_) end_innermost_phase();
  if (step_.heard_by != 0) {
    ThreadState& thread = *this_thread();
    const strata_when when = fan_out_.stamp(thread);
    fan_out_.deliver_end(thread, step_, [&](const ListenerSet& set, std::uint64_t token) {
      if (set.step.end != nullptr) set.step.end(set.self, &when, &step_.info, &result, token);
    });
  }
  step_open_ = false;
  fan_out_.position().step.store(STRATA_NO_STEP, std::memory_order_relaxed);
  fan_out_.position().micro_batch.store(0, std::memory_order_relaxed);
}

std::uint32_t LoopThread::begin_phase(std::uint32_t kind, const strata_name& name, bool inferred) {
  if (!fan_out_.anyone_listens()) return STRATA_NONE;
  const Turn turn(*this, "begin_phase");
  if (!turn.running()) return STRATA_NONE;
  OpenRange<strata_phase_info>* range = phases_.push();
  if (range == nullptr) {
    fan_out_.faults().count(SessionFault::kPhasesTooDeep, "begin_phase: too many phases are open");
    return STRATA_NONE;
  }
  range->info = {sizeof(strata_phase_info), kind, name, ++phases_begun_, inferred ? 1U : 0U};
  range->heard_by = 0;
  if (!turn.routes().phase.empty()) {
    fan_out_.deliver_begin(turn.thread(), *range, turn.routes().phase, fan_out_.stamp(turn.thread()));
  }
  fan_out_.position().phase.store(range->info.ordinal, std::memory_order_relaxed);
  return range->info.ordinal;
}

void LoopThread::end_phase(std::uint32_t ordinal) {
  if (ordinal == STRATA_NONE) return;
  const Turn turn(*this, "end_phase");
  if (!turn.running()) return;
  if (!phases_.holds(ordinal)) {
    fan_out_.faults().count(
        SessionFault::kUnpairedPhaseEnd,
        fmt::format("end_phase({}): it is not open; the innermost is {}", ordinal, phases_.innermost()));
    return;
  }
  while (phases_.innermost() != ordinal) end_innermost_phase();
  end_innermost_phase();
}

void LoopThread::end_innermost_phase() {
  const OpenRange<strata_phase_info>& range = *phases_.top();
  const std::uint32_t enclosing =
      phases_.depth < 2 ? STRATA_NONE : phases_.ranges[phases_.depth - 2].info.ordinal;
  fan_out_.position().phase.store(enclosing, std::memory_order_relaxed);
  if (range.heard_by != 0) {
    ThreadState& thread = *this_thread();
    const strata_when when = fan_out_.stamp(thread);
    fan_out_.deliver_end(thread, range, [&](const ListenerSet& set, std::uint64_t token) {
      if (set.phase.end != nullptr) set.phase.end(set.self, &when, &range.info, token);
    });
  }
  phases_.pop();
}

void LoopThread::open_window() {
  window_open_.store(true, std::memory_order_relaxed);
  static_cast<void>(fan_out_.open(true));  // refused: the run is ending
}

void LoopThread::close_window() {
  flush(true, STRATA_FLUSH_WINDOW_END, kFlushLimit);
  window_open_.store(false, std::memory_order_relaxed);
  if (!fan_out_.open(false)) return;  // the run is ending, which flushes too
  if (!fan_out_.gate().settle(settle_limit_)) {
    fan_out_.faults().count(SessionFault::kEventsInFlight,
                            "the window's end: a thread is still inside an event");
  }
  flush(false, STRATA_FLUSH_WINDOW_END, kFlushLimit);
}

void LoopThread::flush(bool sources, std::uint32_t reason, std::chrono::nanoseconds limit) {
  ThreadState* const thread = this_thread();
  if (thread == nullptr) return;
  const Visit visit(fan_out_.gate());
  const std::int64_t deadline_ns = monotonic_ns() + limit.count();
  const std::vector<ListenerSet>& listeners = fan_out_.listeners();
  for (std::uint32_t i = 0; i < listeners.size(); ++i) {
    const ListenerSet& set = listeners[i];
    if (set.source == sources && set.flush.flush != nullptr)
      fan_out_.guarded(*thread, i, [&] { set.flush.flush(set.self, reason, deadline_ns); });
  }
}

}  // namespace strata
