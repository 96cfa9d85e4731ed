// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/event_gate.hpp"

#include <unistd.h>

#include <thread>

#include "host/runtime/process_barrier.hpp"

namespace strata {
namespace {

constinit const Routes kNotBegun{};

std::atomic<std::uint64_t> sessions_made{0};

bool others_in_flight(const ThreadState* own) noexcept {
  for (const ThreadState* state = all_threads(); state != nullptr; state = state->next) {
    if (state != own && state->events_in_flight.load(std::memory_order_acquire) != 0) return true;
  }
  return false;
}

}  // namespace

void start_anew(ThreadState& thread, std::uint64_t session) noexcept {
  thread.session = session;
  thread.thread = static_cast<std::uint32_t>(gettid());
  thread.under_allocator = 0;
  thread.ops.depth = 0;
  thread.modules.depth = 0;
}

EventGate::EventGate() : routes_(&kNotBegun), session_(sessions_made.fetch_add(1) + 1) {
  prepare_process_barrier();
  watch_thread_exits();
}

bool EventGate::set_routes(const Routes& routes) noexcept {
  const Routes* present = routes_.load(std::memory_order_relaxed);
  do {
    if (present->ended) return false;
  } while (
      !routes_.compare_exchange_weak(present, &routes, std::memory_order_release, std::memory_order_relaxed));
  return true;
}

void EventGate::close() noexcept {
  routes_.store(&kEndedRoutes, std::memory_order_release);
}

bool EventGate::settle(std::chrono::nanoseconds limit) noexcept {
  if (!order_all_threads()) return false;
  const ThreadState* own = this_thread_if_any();
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (others_in_flight(own)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

void forget_other_threads() noexcept {
  const ThreadState* own = this_thread_if_any();
  for (ThreadState* state = all_threads(); state != nullptr; state = state->next) {
    state->events_in_flight.store(0, std::memory_order_relaxed);
    state->ops.depth = 0;
    state->modules.depth = 0;
    if (state != own) state->held.store(0, std::memory_order_relaxed);
  }
}

}  // namespace strata
