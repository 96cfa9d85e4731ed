// SPDX-License-Identifier: Apache-2.0
// The runtime's state of one thread: whether it is inside an event, and its open ops and modules.
//
// States are mapped pages. They are kept in a list for the life of the process and reused for another thread
// when theirs ends. A thread's first event maps one; other events do not allocate. The library has only one
// pointer in thread-local storage, so that it can be opened late with dlopen.
#pragma once

#include <atomic>
#include <cstdint>

#include "host/runtime/events/range_stack.hpp"
#include "strata/ext/module.h"
#include "strata/ext/op.h"

namespace strata {

inline constexpr std::uint32_t kMaximumOpenOps = 256;
inline constexpr std::uint32_t kMaximumOpenModules = 128;

// All zeroes is a valid state: a thread outside any event, with nothing open.
struct ThreadState {
  std::atomic<std::uint32_t> events_in_flight;
  std::uint32_t thread;              // the OS id of the thread that holds it
  std::uint64_t session;             // whose ranges are on the stacks; another session starts with empty ones
  std::uint32_t under_allocator;     // inside a memory event
  std::atomic<std::uint64_t> event;  // sequence of its last event
  std::atomic<std::uint32_t> listener;  // its last listener; it is inside it while events_in_flight is not 0
  std::atomic<std::uint32_t> held;      // by a living thread
  ThreadState* next;                    // in the list of all; written once
  RangeStack<strata_op_info, kMaximumOpenOps> ops;
  RangeStack<strata_module_info, kMaximumOpenModules> modules;
};

// Returns the calling thread's state, creating it if necessary. Null if the system has no memory for it.
ThreadState* this_thread() noexcept;

// Returns the calling thread's state, or null if it has none yet.
ThreadState* this_thread_if_any() noexcept;

// Head of the list of all states, of both living and ended threads.
ThreadState* all_threads() noexcept;

// Makes the states of ended threads reusable. Call once before the first event. Idempotent.
void watch_thread_exits() noexcept;

}  // namespace strata
