// SPDX-License-Identifier: Apache-2.0
// Times operators while enabled: the first call of each, and the total of all calls per step, so that
// analysis can tell the extra cost of a first call.
//
// Threads: begins and ends come from any thread. Open calls belong to their thread; sums are atomic.
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

  // [loop-thread] Whether ranges that begin from now on are timed.
  void look(bool looking) noexcept { looking_.store(looking, std::memory_order_relaxed); }
  // [any] Pass the result to `end`.
  std::uint64_t begin(const strata_when& when, const strata_op_info& op) noexcept;
  // [any] For a call that this thread began; those of other threads are ignored.
  void end(const strata_when& when, const strata_op_info& op, std::uint64_t token) noexcept;
  // [loop-thread] Calls that ended since the last step belong to no step.
  void begin_step() noexcept;
  // [loop-thread] Writes the step's sums. Returns whether there were any.
  bool finish_step(std::uint64_t step) noexcept;

 private:
  Table<CallRow> calls_;
  Table<OperatorRow> operators_;
  OperatorSums sums_;
  std::uint64_t run_;  // its number among all runs of this process
  std::atomic<bool> looking_{true};
};

}  // namespace strata::warmup_analyzer
