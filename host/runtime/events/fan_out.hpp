// SPDX-License-Identifier: Apache-2.0
// Delivers every event to the plugins that listen, in load order, and every end in reverse order.
//
// An event costs one sequence number and one clock reading, and neither if no plugin listens. Nothing here
// allocates, takes a lock or throws. An exception of a plugin is counted as its fault and stops here. Events
// inside a memory event, on its thread, are dropped and counted: a listener must not call the framework
// there.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/runtime/clock.hpp"
#include "host/runtime/events/event_gate.hpp"
#include "host/runtime/events/listener_set.hpp"
#include "host/runtime/events/session_faults.hpp"

namespace strata {

// The loop thread's position, read by events of every thread.
struct LoopPosition {
  std::atomic<std::uint64_t> step{STRATA_NO_STEP};
  std::atomic<std::uint32_t> micro_batch{0};
  std::atomic<std::uint32_t> phase{STRATA_NONE};
};

class FanOut {
 public:
  // `faults` outlives this.
  explicit FanOut(SessionFaults& faults) : faults_(faults) {}
  FanOut(const FanOut&) = delete;
  FanOut& operator=(const FanOut&) = delete;

  // [loop-thread] Before the first `open`. Adds the next listener in load order; at most kMaximumListeners.
  void listen(const ListenerSet& listeners) {
    const std::uint32_t bit = 1u << listeners_.size();
    if (listeners.op.end != nullptr) hear_op_ends_ |= bit;
    if (listeners.module.end != nullptr) hear_module_ends_ |= bit;
    listeners_.push_back(listeners);
    anyone_listens_ |= listeners.hears_events();
  }
  // Whether any plugin can get an event in this session, now or when the window opens.
  bool anyone_listens() const noexcept { return anyone_listens_; }
  const std::vector<ListenerSet>& listeners() const noexcept { return listeners_; }
  SessionFaults& faults() noexcept { return faults_; }
  EventGate& gate() noexcept { return gate_; }
  LoopPosition& position() noexcept { return position_; }

  // [loop-thread] Lets events pass from now on: to all listeners, or to those of the whole run. Leaves out
  // listeners that have used up their faults. Returns false, and lets nothing pass, if the gate was closed
  // meanwhile.
  [[nodiscard]] bool open(bool in_window);
  // [loop-thread] Opens again if a listener has used up its faults since.
  void leave_out_failed();

  // [any] [alloc-lock] STRATA_INTEREST_* and kInterestModule.
  std::uint32_t interest() const noexcept { return gate_.routes().interest; }
  // [loop-thread] The same for the active window, open or not.
  std::uint32_t interest_in_window() const { return make_routes(listeners_, true).interest; }

  // [any] One event of a source or of the trainer, as described in strata/ext/emit.h.
  void memory(const strata_memory_event& event) noexcept;
  void graph(const strata_graph_event& event) noexcept;
  void tensor(const strata_tensor_event& event) noexcept;
  void activity(const strata_activity_event& event) noexcept;
  std::uint64_t begin_op(const strata_op_info& op) noexcept;
  void end_op(std::uint64_t ordinal) noexcept;
  std::uint32_t begin_module(const strata_module_info& module) noexcept;
  void end_module(std::uint32_t ordinal) noexcept;

  // [loop-thread] With the gate closed and settled: ends the ranges that threads left open.
  void end_open_ranges() noexcept;

  // The event's circumstances, with the next sequence number and the current time.
  [[gnu::always_inline]] strata_when stamp(ThreadState& thread) noexcept {
    const std::uint64_t sequence = sequence_.fetch_add(1, std::memory_order_relaxed) + 1;
    thread.event.store(sequence, std::memory_order_relaxed);
    return {.struct_size = sizeof(strata_when),
            .thread = thread.thread,
            .sequence = sequence,
            .monotonic_ns = monotonic_ns(),
            .step = position_.step.load(std::memory_order_relaxed),
            .micro_batch = position_.micro_batch.load(std::memory_order_relaxed),
            .phase = position_.phase.load(std::memory_order_relaxed),
            .op = thread.ops.innermost(),
            .module = thread.modules.innermost(),
            .reserved = 0};
  }

  // Calls one listener, and notes that in the thread. An exception is counted as that listener's fault.
  template <typename Call>
  void guarded(ThreadState& thread, std::uint32_t listener, Call&& call) noexcept {
    thread.listener.store(listener, std::memory_order_release);
    try {
      call();
    } catch (...) {
      count_fault(listener);
    }
  }

  // Delivers a begin and records in `range` which listeners got it.
  template <typename Info, typename Function>
  void deliver_begin(ThreadState& thread, OpenRange<Info>& range, const Route<Function>& route,
                     const strata_when& when) noexcept {
    range.heard_by = 0;
    for (const auto& call : route) {
      range.heard_by |= 1u << call.listener;
      range.tokens[call.listener] = 0;
      if (call.function == nullptr) continue;
      guarded(thread, call.listener,
              [&] { range.tokens[call.listener] = call.function(call.self, &when, &range.info); });
    }
  }

  // Calls `end(listener set, token)` for each listener that got the begin, last one first.
  template <typename Info, typename End>
  void deliver_end(ThreadState& thread, const OpenRange<Info>& range, End&& end) noexcept {
    for (std::uint32_t left = range.heard_by; left != 0;) {
      const auto listener = static_cast<std::uint32_t>(std::bit_width(left) - 1);
      left ^= 1u << listener;
      guarded(thread, listener, [&] { end(listeners_[listener], range.tokens[listener]); });
    }
  }

 private:
  template <typename Function, typename Event>
  void deliver(ThreadState& thread, const Route<Function>& route, const strata_when& when,
               const Event& event) noexcept;
  // A single event other than a memory event. `interest_bit` is the bit of its route.
  template <typename Function, typename Event>
  void tell(std::uint32_t interest_bit, const Route<Function> Routes::*route, const Event& event) noexcept;
  // Whether the thread is inside a memory event; if so, counts a fault.
  bool is_inside_memory_event(const ThreadState& thread) noexcept;
  void end_innermost_op(ThreadState& thread) noexcept;
  void end_innermost_module(ThreadState& thread) noexcept;
  void count_fault(std::uint32_t listener) noexcept;
  std::uint64_t count_failed() const noexcept;

  EventGate gate_;
  LoopPosition position_;
  std::vector<ListenerSet> listeners_;
  std::uint32_t hear_op_ends_ = 0, hear_module_ends_ = 0;  // bits of listeners
  SessionFaults& faults_;
  std::vector<std::unique_ptr<const Routes>>
      routes_;  // all that were ever in use: a thread may still read one
  bool anyone_listens_ = false;
  bool in_window_ = false;
  std::uint64_t failed_ = 0;  // listeners that are left out
  alignas(64) std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint32_t> modules_{0};
};

}  // namespace strata
