// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/python/python_stack_log.hpp"

#include <exception>
#include <string>
#include <utility>

namespace strata::torch_source {
namespace {

Table<PythonFrameRow> python_frame_table(const Host& host) {
  return {
      host,
      "python_frame",
      "a line of the Python program that appears in stacks",
      {STRATA_COLUMN(PythonFrameRow, frame, STRATA_COLUMN_UINT32, "", "count from 1"),
       STRATA_COLUMN(PythonFrameRow, function, STRATA_COLUMN_STRING, "", "qualified, from Python 3.11 on"),
       STRATA_COLUMN(PythonFrameRow, file, STRATA_COLUMN_STRING, "", "as in the code object"),
       STRATA_COLUMN(PythonFrameRow, line, STRATA_COLUMN_UINT32, "", "in the file")}};
}

Table<PythonStackRow> python_stack_table(const Host& host) {
  return {host,
          "python_stack",
          "a frame of a Python stack; each stack is written once",
          {STRATA_COLUMN(PythonStackRow, stack, STRATA_COLUMN_UINT32, "", "count from 1"),
           STRATA_COLUMN(PythonStackRow, position, STRATA_COLUMN_UINT32, "", "0 is the innermost"),
           STRATA_COLUMN(PythonStackRow, frame, STRATA_COLUMN_UINT32, "", "of torch_python_frame")}};
}

Table<EventPythonStackRow> event_python_stack_table(const Host& host) {
  return {host,
          "event_python_stack",
          "where the program was when the operator around an allocation began",
          {STRATA_COLUMN(EventPythonStackRow, sequence, STRATA_COLUMN_UINT64, "", "of the event"),
           STRATA_COLUMN(EventPythonStackRow, stack, STRATA_COLUMN_UINT32, "", "of torch_python_stack")},
          STRATA_THIN_OF_MEMORY};
}

std::uint64_t next_python_run() {
  static std::atomic<std::uint64_t> runs{0};
  return ++runs;
}

// The target of torch's callbacks at the begin of operators. Kept while an emission is open.
std::atomic<PythonStackLog*> python_log{nullptr};
std::atomic<std::uint64_t> python_run{0};  // 0: stacks are not wanted

// All zero is a valid state, and it needs no destructor: a thread may begin operators until its very end.
struct PythonThread {
  std::uint64_t run;         // in which the stack was reported
  const PythonStack* stack;  // of the operator around what happens now; null: none
  std::uint32_t sharing;     // open operators that share their stack with called ones
};
constinit thread_local PythonThread python_thread{};

}  // namespace

PythonStackLog::PythonStackLog(const Host& host)
    : host_(host),
      frames_(python_frame_table(host)),
      stacks_(python_stack_table(host)),
      events_(event_python_stack_table(host)) {}

void PythonStackLog::begin() {
  written_frames_.clear();
  written_stacks_.clear();
  if (!prepare_python_stacks()) return;
  run_.store(next_python_run());
  python_log.store(this);
  python_run.store(run_.load());
}

void PythonStackLog::end() {
  if (python_log.load() != this) return;
  python_run.store(0);
  python_log.store(nullptr);
  if (const std::uint64_t operators = python_stacks_left_out(); operators != 0)
    host_.warning(std::to_string(operators) +
                  " operators got no Python stack: the process had too many different ones.");
}

void PythonStackLog::write(const PythonStack& stack) {
  const std::lock_guard guard(mutex_);
  if (!written_stacks_.insert(stack.id).second) return;
  for (std::uint32_t position = 0; position < stack.frames.size(); ++position) {
    const PythonFrame& frame = *stack.frames[position];
    if (written_frames_.insert(frame.id).second) {
      frames_.append({.frame = frame.id,
                      .function = frames_.intern(frame.function),
                      .file = frames_.intern(frame.file),
                      .line = frame.line});
    }
    stacks_.append({.stack = stack.id, .position = position, .frame = frame.id, .reserved = 0});
  }
}

void PythonStackLog::on_memory(const strata_when& when, const strata_memory_event& memory) const noexcept {
  if (memory.action != STRATA_MEMORY_ALLOCATE && memory.action != STRATA_MEMORY_OUT_OF_MEMORY) return;
  const PythonThread& mine = python_thread;
  if (mine.stack == nullptr || mine.run != run_.load(std::memory_order_relaxed)) return;
  events_.append({.sequence = when.sequence, .stack = mine.stack->id, .reserved = 0});
}

PythonOperator::PythonOperator(bool shares) noexcept : thread_(&python_thread), shares_(shares) {
  PythonThread& mine = python_thread;
  is_taken_ = mine.sharing == 0;
  if (shares) ++mine.sharing;
  if (is_taken_) stack_ = take_python_stack();
}

void PythonOperator::tell() noexcept try {
  if (!is_taken_) return;
  PythonStackLog* const log = python_log.load();
  if (log == nullptr) return;
  if (stack_ != nullptr) log->write(*stack_);
  PythonThread& mine = python_thread;
  outer_stack_ = std::exchange(mine.stack, stack_);
  outer_run_ = std::exchange(mine.run, python_run.load());
  is_reported_ = true;
} catch (const std::exception&) {
  // No memory: this operator's allocations go without.
}

PythonOperator::~PythonOperator() {
  PythonThread& mine = python_thread;
  if (thread_ != &mine) return;
  if (shares_) --mine.sharing;
  if (!is_reported_) return;
  mine.stack = outer_stack_;
  mine.run = outer_run_;
}

bool python_stacks_are_wanted() noexcept {
  return python_run.load(std::memory_order_relaxed) != 0;
}

}  // namespace strata::torch_source
