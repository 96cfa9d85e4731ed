// SPDX-License-Identifier: Apache-2.0
// What the runtime knows of one thread: whether it is inside an event, and which ops and modules it has open.
//
// States are mapped pages, kept in a list for the life of the process and handed to another thread when
// theirs ends. A thread's first event maps one; no other event allocates. The library keeps a single pointer
// in thread-local storage, so that it can be opened late with dlopen.
#pragma once

#include <atomic>
#include <cstdint>

#include "host/runtime/events/range_stack.hpp"
#include "strata/ext/module.h"
#include "strata/ext/op.h"

namespace strata {

inline constexpr std::uint32_t kMaximumOpenOps = 256;
inline constexpr std::uint32_t kMaximumOpenModules = 128;

// All zero is a valid state: that of a thread in no event, with nothing open.
struct ThreadState {
  std::atomic<std::uint32_t> events_in_flight;
  std::uint32_t thread;              // the OS's id of the thread that holds it
  std::uint64_t session;             // whose ranges the stacks hold; another session starts with empty ones
  std::uint32_t under_allocator;     // inside a memory event
  std::atomic<std::uint64_t> event;  // its last event's sequence
  std::atomic<std::uint32_t> listener;  // that it called last; inside it while events_in_flight is not 0
  std::atomic<std::uint32_t> held;      // by a living thread
  ThreadState* next;                    // in the list of all; written once
  RangeStack<strata_op_info, kMaximumOpenOps> ops;
  RangeStack<strata_module_info, kMaximumOpenModules> modules;
};

// The calling thread's state, made when it has none. Null when the system has no memory left for one.
ThreadState* this_thread() noexcept;

// The calling thread's state, null when it has none yet.
ThreadState* this_thread_if_any() noexcept;

// Head of the list of all states, of living threads and of ended ones.
ThreadState* all_threads() noexcept;

// Where ended threads' states may be handed on: to be called once before the first event. Idempotent.
void watch_thread_exits() noexcept;

}  // namespace strata
