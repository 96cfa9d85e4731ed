// SPDX-License-Identifier: Apache-2.0
// Decides whether events pass and to which listeners, and lets the loop thread wait until no event is in
// flight.
//
// A thread marks itself before it reads the routes; the loop thread replaces the routes before it reads the
// marks:
//
//     thread                          loop thread
//     events_in_flight = n + 1        routes = closed
//     routes?                         barrier on all threads
//     ... calls listeners ...         wait until events_in_flight == 0
//     events_in_flight = n            nothing is called any more
//
// Each side needs a full fence between its two lines. The thread has only a compiler fence, so that an event
// costs nothing; the loop thread's barrier makes up for it (process_barrier.hpp).
//
// A closed gate stays closed. The process's exit closes it from any thread, and a fork in the child, possibly
// while the loop thread is about to replace the routes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "host/runtime/events/routes.hpp"
#include "host/runtime/events/thread_state.hpp"
#include "host/runtime/process_barrier.hpp"

namespace strata {

class EventGate {
 public:
  EventGate();

  // The current routes. They must live as long as the process: a thread may still be reading them.
  const Routes& routes() const noexcept { return *routes_.load(std::memory_order_acquire); }
  // Returns false without any change once the gate was closed.
  [[nodiscard]] bool set_routes(const Routes& routes) noexcept;
  void close() noexcept;

  // Waits until no other thread is inside an event that began earlier. False if one still is after `limit`,
  // or if that cannot be known (process_barrier.hpp).
  bool settle(std::chrono::nanoseconds limit) noexcept;

  // This session's number among all sessions of the process.
  std::uint64_t session() const noexcept { return session_; }

 private:
  std::atomic<const Routes*> routes_;
  std::uint64_t session_;
};

// Called at the thread's first event of a session: its stacks belong to an earlier session.
void start_anew(ThreadState& thread, std::uint64_t session) noexcept;

// One thread inside one event.
class Visit {
 public:
  [[gnu::always_inline]] explicit Visit(const EventGate& gate) noexcept : thread_(this_thread()) {
    if (thread_ == nullptr) return;
    outer_ = thread_->events_in_flight.load(std::memory_order_relaxed);
    thread_->events_in_flight.store(outer_ + 1, std::memory_order_relaxed);
    light_barrier();
    routes_ = &gate.routes();
    if (routes_->open && thread_->session != gate.session()) start_anew(*thread_, gate.session());
  }
  ~Visit() {
    if (thread_ != nullptr) thread_->events_in_flight.store(outer_, std::memory_order_release);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  // Without `open` if no run is on or the thread has no state; `thread` must then not be called.
  const Routes& routes() const noexcept { return *routes_; }
  ThreadState& thread() const noexcept { return *thread_; }

 private:
  ThreadState* thread_;
  std::uint32_t outer_ = 0;
  const Routes* routes_ = &kEndedRoutes;
};

// In a forked child: forgets the other threads, which no longer exist.
void forget_other_threads() noexcept;

}  // namespace strata
