// SPDX-License-Identifier: Apache-2.0
// Writes the stacks of chosen allocations: each stack once, its events by its hash, and the libraries that
// its addresses lie in. Names are given to addresses by whoever reads the store.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plugins/allocator_tracer/backtrace.hpp"
#include "plugins/allocator_tracer/loaded_libraries.hpp"
#include "plugins/allocator_tracer/stack_choice.hpp"
#include "plugins/allocator_tracer/stack_set.hpp"
#include "plugins/allocator_tracer/stack_tables.hpp"

namespace strata::allocator_tracer {

class StackTracer {
 public:
  // [loop-thread] `most_frames` of a stack are kept, the innermost. Throws as Table does.
  StackTracer(const Host& host, StackChoice choice, std::size_t most_frames);

  // [any] [alloc-lock] Takes the caller's stack where the event is an allocation that is chosen, or one that
  // failed.
  void on_memory(const strata_when& when, const strata_memory_event& memory) noexcept;

  // [any] not [alloc-lock] Writes the libraries that were loaded since the last call.
  void note_libraries();
  // The same where a stack went through a library that is not known yet.
  void note_missing_libraries() {
    if (library_missing_.load(std::memory_order_relaxed)) note_libraries();
  }

  // Events that were chosen and got no stack: there were too many different ones.
  std::uint64_t stacks_left_out() const { return left_out_.load(std::memory_order_relaxed); }

 private:
  void take_stack(std::uint64_t sequence, double chance) noexcept;
  bool write_stack(std::uint64_t stack, std::span<const std::uintptr_t> addresses) noexcept;

  const StackChoice choice_;
  const std::size_t most_frames_;
  Table<EventStackRow> events_;
  Table<StackFrameRow> frames_;
  Table<LibraryRow> library_rows_;
  Unwinder unwinder_;
  StackSet written_;
  LoadedLibraries libraries_;
  std::atomic<bool> library_missing_{false};
  std::atomic<std::uint64_t> left_out_{0};
};

}  // namespace strata::allocator_tracer
