// SPDX-License-Identifier: Apache-2.0
// Chooses the operators that get a row. Most of the thousands in a step only make a view. Relevant are the
// memory that an operator handled, and the node of the backward graph that it made.
//
// A row is written
// - at once, for a node of the backward graph, for the operators it calls, and for a range named by the
//   program;
// - when memory is allocated or freed in the operator, or autograd saves or releases a storage in it; then
//   also for the enclosing operators;
// - when the next operator of the thread has another autograd sequence: then this operator, the last to begin
//   with its number, made the node that carries it.
//
// So rows are not in the order of their sequence.
#pragma once

#include <cstdint>

#include "plugins/allocator_tracer/tables.hpp"
#include "strata/ext/op.h"

namespace strata::allocator_tracer {

struct ThreadOperators;

class OperatorLog {
 public:
  // [loop-thread]
  explicit OperatorLog(Table<OpRow> table);

  // [any] not [alloc-lock]
  void begin(const strata_when& when, const strata_op_info& op) const noexcept;

  // [any] [alloc-lock] An event that needs a row happened in the thread's innermost operator, given by its
  // ordinal; STRATA_NONE: outside of any operator.
  void need(std::uint64_t op) const noexcept {
    if (op != STRATA_NONE) write_open(op);
  }

 private:
  void write_open(std::uint64_t op) const noexcept;
  // The same with the thread's operators, looked up once.
  void begin(ThreadOperators& mine, const strata_when& when, const strata_op_info& op) const noexcept;
  void write_open(ThreadOperators& mine, std::uint64_t op) const noexcept;
  void write_last(ThreadOperators& mine) const noexcept;

  Table<OpRow> table_;
  std::uint64_t run_;  // its number among all runs of this process
};

}  // namespace strata::allocator_tracer
