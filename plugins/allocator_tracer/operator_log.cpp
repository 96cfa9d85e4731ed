// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/operator_log.hpp"

#include <array>
#include <atomic>

namespace strata::allocator_tracer {

// Operators nest a few deep. When more are open, all of them are written and need not be remembered.
constexpr std::uint32_t kOpen = 48;

struct OpenOperator {
  OpRow row;
  bool is_written;
};

// All zero is a valid state, and it needs no destructor: a thread may begin operators until its very end.
struct ThreadOperators {
  std::uint64_t run;  // that the rest is of
  std::uint32_t depth;
  std::array<OpenOperator, kOpen> open;
  OpenOperator last_forward;  // open or not; of those with an autograd sequence

  // Ends are not reported: an operator is over once an event occurs in an enclosing one.
  void leave_all_but(std::uint64_t innermost) noexcept {
    while (depth != 0 && open[depth - 1].row.op != innermost) --depth;
  }
};

namespace {

constinit thread_local ThreadOperators operators{};

ThreadOperators& operators_of(std::uint64_t run) noexcept {
  ThreadOperators& mine = operators;
  if (mine.run != run) [[unlikely]] {
    mine.run = run;
    mine.depth = 0;
    mine.last_forward.is_written = true;
  }
  return mine;
}

std::uint64_t next_run() {
  static std::atomic<std::uint64_t> runs{0};
  return ++runs;
}

OpRow row_of(const strata_when& when, const strata_op_info& op) noexcept {
  return {.sequence = when.sequence,
          .monotonic_ns = when.monotonic_ns,
          .op = op.ordinal,
          .parent = op.parent,
          .autograd_sequence = op.autograd_sequence,
          .forward_thread = op.forward_thread,
          .thread = when.thread,
          .kind = op.kind,
          .name = op.name.id,
          .phase = when.phase,
          .module = when.module,
          .reserved = 0};
}

}  // namespace

OperatorLog::OperatorLog(Table<OpRow> table) : table_(table), run_(next_run()) {}

void OperatorLog::begin(const strata_when& when, const strata_op_info& op) const noexcept {
  begin(operators_of(run_), when, op);
}

void OperatorLog::begin(ThreadOperators& mine, const strata_when& when,
                        const strata_op_info& op) const noexcept {
  mine.leave_all_but(op.parent);
  const bool in_node = mine.depth != 0 && mine.open[mine.depth - 1].row.kind == STRATA_OP_BACKWARD;
  if (mine.depth == kOpen) [[unlikely]] {
    write_open(mine, op.parent);
    mine.depth = 0;
  }
  OpenOperator& last = mine.last_forward;
  if (!last.is_written && last.row.autograd_sequence != op.autograd_sequence) write_last(mine);

  OpenOperator& begun = mine.open[mine.depth++];
  begun.row = row_of(when, op);
  begun.is_written = op.kind != STRATA_OP_FORWARD || in_node;
  if (begun.is_written) table_.append(begun.row);
  if (op.kind == STRATA_OP_FORWARD && op.autograd_sequence >= 0) last = begun;
}

void OperatorLog::write_last(ThreadOperators& mine) const noexcept {
  OpenOperator& last = mine.last_forward;
  table_.append(last.row);
  last.is_written = true;
  for (std::uint32_t at = 0; at != mine.depth; ++at) {
    if (mine.open[at].row.op == last.row.op) mine.open[at].is_written = true;
  }
}

void OperatorLog::write_open(std::uint64_t op) const noexcept {
  write_open(operators_of(run_), op);
}

void OperatorLog::write_open(ThreadOperators& mine, std::uint64_t op) const noexcept {
  mine.leave_all_but(op);
  for (std::uint32_t at = 0; at != mine.depth; ++at) {
    OpenOperator& open = mine.open[at];
    if (open.is_written) continue;
    table_.append(open.row);
    open.is_written = true;
    if (mine.last_forward.row.op == open.row.op) mine.last_forward.is_written = true;
  }
}

}  // namespace strata::allocator_tracer
