// SPDX-License-Identifier: Apache-2.0
// Times operators while enabled: the first call of each, and the total of all calls per step, so that
// analysis can tell the extra cost of a first call.
//
// Threads: begins and ends come from any thread. Open calls belong to their thread; sums are atomic.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plugins/warmup_analyzer/tables.hpp"
#include "strata/ext/op.h"

namespace strata::warmup_analyzer {

// The number and total duration of each operator's calls, summed over all threads without a lock.
class OperatorSums {
 public:
  struct Sum {
    std::atomic<std::uint32_t> name{0};  // the run store's id; 0: unused
    std::atomic<bool> begun{false};
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::int64_t> self_ns{0};
    std::uint64_t written_calls = 0;  // [loop-thread]
    std::int64_t written_ns = 0;
  };

  // [any] The sum of that operator; null for an unnamed one, and once a thousand others are known.
  Sum* of(std::uint32_t name) noexcept {
    if (name == 0) return nullptr;
    std::size_t place = name * std::size_t{2654435761} % kPlaces;
    for (std::size_t tries = 0; tries < kTries; ++tries, place = (place + 1) % kPlaces) {
      Sum& sum = sums_[place];
      std::uint32_t found = sum.name.load(std::memory_order_relaxed);
      if (found == name) return &sum;
      if (found == 0 &&
          (sum.name.compare_exchange_strong(found, name, std::memory_order_relaxed) || found == name))
        return &sum;
    }
    return nullptr;
  }

  auto begin() noexcept { return sums_.begin(); }
  auto end() noexcept { return sums_.end(); }

 private:
  static constexpr std::size_t kPlaces = 2048, kTries = 16;
  std::array<Sum, kPlaces> sums_{};
};

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
