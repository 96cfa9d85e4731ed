// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/first_calls.hpp"

#include <algorithm>

#include "plugins/warmup_analyzer/counters.hpp"
#include "plugins/warmup_analyzer/library_log.hpp"

namespace strata::warmup_analyzer {
namespace {

constexpr std::uint64_t kNotTimed = 0;
// A call that is no first one has a row when it takes this many times the mean of those before it, and this
// long.
constexpr std::int64_t kFarLonger = 8, kLongNs = 300'000;
constexpr std::uint32_t kOpen =
    64;  // operators nest a few deep; deeper ones count as part of the enclosing one

struct OpenCall {
  OperatorSums::Sum* sum;
  std::int64_t begin_ns;
  std::int64_t inner_ns;  // of operators that it called
  std::uint64_t faults, libraries;
  bool is_first;
};

// All zero is a valid state, and it needs no destructor: a thread may begin operators until its very end.
struct ThreadCalls {
  std::uint64_t run;
  std::uint32_t thread;
  std::uint32_t depth;
  std::array<OpenCall, kOpen> open;
};

constinit thread_local ThreadCalls thread_calls{};

std::uint64_t next_calls_run() {
  static std::atomic<std::uint64_t> runs{0};
  return ++runs;
}

}  // namespace

FirstCalls::FirstCalls(Table<CallRow> calls, Table<OperatorRow> operators)
    : calls_(calls), operators_(operators), run_(next_calls_run()) {}

std::uint64_t FirstCalls::begin(const strata_when& when, const strata_op_info& op) noexcept {
  if (!looking_.load(std::memory_order_relaxed)) return kNotTimed;
  ThreadCalls& mine = thread_calls;
  if (mine.run != run_) {
    mine.run = run_;
    mine.thread = when.thread;
    mine.depth = 0;
  }
  if (when.op == STRATA_NONE) mine.depth = 0;  // what did not end here is over
  OperatorSums::Sum* const sum = mine.depth == kOpen ? nullptr : sums_.of(op.name.id);
  if (sum == nullptr) return kNotTimed;
  OpenCall& call = mine.open[mine.depth++];
  call = {.sum = sum,
          .begin_ns = when.monotonic_ns,
          .inner_ns = 0,
          .faults = 0,
          .libraries = 0,
          .is_first = !sum->begun.load(std::memory_order_relaxed) &&
                      !sum->begun.exchange(true, std::memory_order_relaxed)};
  if (call.is_first) {
    call.faults = thread_minor_faults();
    call.libraries = libraries_mapped();
  }
  return mine.depth;
}

void FirstCalls::end(const strata_when& when, const strata_op_info& op, std::uint64_t token) noexcept {
  ThreadCalls& mine = thread_calls;
  if (token == kNotTimed || mine.run != run_ || mine.thread != when.thread || mine.depth < token) return;
  const OpenCall& call = mine.open[token - 1];
  mine.depth = static_cast<std::uint32_t>(token - 1);
  const std::int64_t duration_ns = when.monotonic_ns - call.begin_ns;
  const std::int64_t self_ns = std::max<std::int64_t>(0, duration_ns - call.inner_ns);
  if (mine.depth != 0) mine.open[mine.depth - 1].inner_ns += duration_ns;
  const auto calls = static_cast<std::int64_t>(call.sum->calls.fetch_add(1, std::memory_order_relaxed));
  const std::int64_t before_ns = call.sum->self_ns.fetch_add(self_ns, std::memory_order_relaxed);
  const bool is_slow = self_ns >= kLongNs && calls > 0 && self_ns * calls >= kFarLonger * before_ns;
  if (!call.is_first && !is_slow) return;
  calls_.append({.sequence = when.sequence,
                 .begin_ns = call.begin_ns,
                 .end_ns = when.monotonic_ns,
                 .self_ns = self_ns,
                 .minor_faults = call.is_first ? thread_minor_faults() - call.faults : 0,
                 .libraries = call.is_first ? libraries_mapped() - call.libraries : 0,
                 .thread = when.thread,
                 .name = op.name.id,
                 .first = call.is_first ? 1u : 0u,
                 .phase = when.phase});
}

void FirstCalls::begin_step() noexcept {
  for (OperatorSums::Sum& sum : sums_) {
    sum.written_calls = sum.calls.load(std::memory_order_relaxed);
    sum.written_ns = sum.self_ns.load(std::memory_order_relaxed);
  }
}

bool FirstCalls::finish_step(std::uint64_t step) noexcept {
  bool any = false;
  for (OperatorSums::Sum& sum : sums_) {
    const std::uint64_t calls = sum.calls.load(std::memory_order_relaxed);
    if (calls == sum.written_calls) continue;
    const std::int64_t self_ns = sum.self_ns.load(std::memory_order_relaxed);
    operators_.append({.step = step,
                       .calls = calls - sum.written_calls,
                       .self_ns = self_ns - sum.written_ns,
                       .name = sum.name.load(std::memory_order_relaxed),
                       .reserved = 0});
    sum.written_calls = calls;
    sum.written_ns = self_ns;
    any = true;
  }
  return any;
}

}  // namespace strata::warmup_analyzer
