// SPDX-License-Identifier: Apache-2.0
// Writes which Python stack an allocation was made under: that of the operator around it. The stack is taken
// where the operator begins, on its thread and under no lock of an allocator; the allocation then only names
// it.
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
  // [loop-thread] Declares the tables. Throws std::runtime_error when the host keeps none.
  explicit PythonStackLog(const Host& host);
  PythonStackLog(const PythonStackLog&) = delete;
  PythonStackLog& operator=(const PythonStackLog&) = delete;

  // [loop-thread] From `begin` to `end` operators take stacks. Not while an emission is open that may be in
  // `write`.
  void begin();
  void end();

  // [any] not [alloc-lock] Writes the stack, if this run has not yet. With an emission open.
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
  std::atomic<std::uint64_t> run_{0};  // among all of this process
};

// The part of an operator's record that knows its Python stack. What an operator calls that runs no Python
// shares its stack: a look at the frames costs more than most operators.
class PythonOperator {
 public:
  // [any] not [alloc-lock], and with no emission open: the interpreter's lock may be a long wait, and an open
  // emission keeps the run from ending. `shares`: nothing in it runs Python.
  explicit PythonOperator(bool shares) noexcept;
  // On another thread than the constructor it does nothing.
  ~PythonOperator();
  PythonOperator(const PythonOperator&) = delete;
  PythonOperator& operator=(const PythonOperator&) = delete;

  // [any] With an emission open, after the constructor and on its thread: from here on, until the destructor,
  // allocations of this thread name the stack.
  void tell() noexcept;

 private:
  void* const thread_;
  const bool shares_;
  bool is_taken_ = false;  // by itself: none that shares its stack is open around it
  bool is_reported_ = false;
  const PythonStack* stack_ = nullptr;
  const PythonStack* outer_stack_ = nullptr;
  std::uint64_t outer_run_ = 0;
};

// [any] Whether operators take stacks.
bool python_stacks_are_wanted() noexcept;

}  // namespace strata::torch_source
