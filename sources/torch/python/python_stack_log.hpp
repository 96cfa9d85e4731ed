// SPDX-License-Identifier: Apache-2.0
// Records the Python stack of each allocation: that of the enclosing operator. The stack is taken when the
// operator begins, on its thread and not under an allocator's lock; the allocation then only refers to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "sources/torch/python/python_stacks.hpp"
#include "strata/ext/memory.h"
#include "strata/table.hpp"

namespace strata::torch_source {

struct PythonFrameRow {
  std::uint32_t frame;
  std::uint32_t function;
  std::uint32_t file;
  std::uint32_t line;
};

struct PythonStackRow {
  std::uint32_t stack;
  std::uint32_t position;
  std::uint32_t frame;
  std::uint32_t reserved;
};

struct EventPythonStackRow {
  std::uint64_t sequence;
  std::uint32_t stack;
  std::uint32_t reserved;
};

class PythonStackLog {
 public:
  // [loop-thread] Declares the tables. Throws std::runtime_error if the host keeps no store.
  explicit PythonStackLog(const Host& host);
  PythonStackLog(const PythonStackLog&) = delete;
  PythonStackLog& operator=(const PythonStackLog&) = delete;

  // [loop-thread] Operators take stacks from `begin` to `end`. Not while an emission is open that may be
  // inside `write`.
  void begin();
  void end();

  // [any] not [alloc-lock] Writes the stack unless this run has already written it. With an emission open.
  void write(const PythonStack& stack);
  // [any] [alloc-lock]
  void on_memory(const strata_when& when, const strata_memory_event& memory) const noexcept;

 private:
  const Host host_;
  const Table<PythonFrameRow> frames_;
  const Table<PythonStackRow> stacks_;
  const Table<EventPythonStackRow> events_;
  std::mutex mutex_;
  std::unordered_set<std::uint32_t> written_frames_, written_stacks_;
  std::atomic<std::uint64_t> run_{0};  // its number among all runs of this process
};

// The Python stack of an operator's record. Operators called inside it that run no Python share its stack,
// because inspecting the frames costs more than most operators.
class PythonOperator {
 public:
  // [any] not [alloc-lock], and with no emission open: it may wait long for the interpreter's lock, and an
  // open emission prevents the run from ending. `shares`: nothing inside the operator runs Python.
  explicit PythonOperator(bool shares) noexcept;
  // No effect on another thread than the constructor's.
  ~PythonOperator();
  PythonOperator(const PythonOperator&) = delete;
  PythonOperator& operator=(const PythonOperator&) = delete;

  // [any] With an emission open, after the constructor and on its thread: from here until the destructor,
  // allocations of this thread refer to the stack.
  void tell() noexcept;

 private:
  void* const thread_;
  const bool shares_;
  bool is_taken_ = false;  // by itself: no enclosing one shares its stack
  bool is_reported_ = false;
  const PythonStack* stack_ = nullptr;
  const PythonStack* outer_stack_ = nullptr;
  std::uint64_t outer_run_ = 0;
};

// [any] Whether operators take stacks.
bool python_stacks_are_wanted() noexcept;

}  // namespace strata::torch_source
