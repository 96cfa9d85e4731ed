// SPDX-License-Identifier: Apache-2.0
// Times operators while it looks: each one's first call, and what all calls of a step come to, so that
// analysis can tell what a first call took more.
//
// Threads: begins and ends come from any thread. What is open is the thread's own; sums are atomic.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "plugins/warmup_analyzer/operator_sums.hpp"
#include "plugins/warmup_analyzer/tables.hpp"
#include "strata/ext/op.h"

namespace strata::warmup_analyzer {

class FirstCalls {
 public:
  // [loop-thread]
  FirstCalls(Table<CallRow> calls, Table<OperatorRow> operators);

  // [loop-thread] Ranges that begin from now on are timed, or are not.
  void look(bool looking) noexcept { looking_.store(looking, std::memory_order_relaxed); }
  // [any] What `end` wants.
  std::uint64_t begin(const strata_when& when, const strata_op_info& op) noexcept;
  // [any] Of what this thread began; other threads' are left alone.
  void end(const strata_when& when, const strata_op_info& op, std::uint64_t token) noexcept;
  // [loop-thread] What ended since the last step is of no step.
  void begin_step() noexcept;
  // [loop-thread] Writes the step's sums; whether there were any.
  bool finish_step(std::uint64_t step) noexcept;

 private:
  Table<CallRow> calls_;
  Table<OperatorRow> operators_;
  OperatorSums sums_;
  std::uint64_t run_;  // among all of this process
  std::atomic<bool> looking_{true};
};

}  // namespace strata::warmup_analyzer
