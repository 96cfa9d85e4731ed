// SPDX-License-Identifier: Apache-2.0
// Records the stacks of chosen allocations: each stack once, its events by its hash, and the libraries that
// contain its addresses. The reader of the store symbolises the addresses.
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
  // [loop-thread] Keeps the innermost `most_frames` of a stack. Throws like Table.
  StackTracer(const Host& host, StackChoice choice, std::size_t most_frames);

  // [any] [alloc-lock] Takes the caller's stack if the event is a chosen or a failed allocation.
  void on_memory(const strata_when& when, const strata_memory_event& memory) noexcept;

  // [any] not [alloc-lock] Records the libraries loaded since the last call.
  void note_libraries();
  // The same if a stack has an address in a library that is not known yet.
  void note_missing_libraries() {
    if (library_missing_.load(std::memory_order_relaxed)) note_libraries();
  }

  // Number of chosen events without a stack, because there were too many different ones.
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
