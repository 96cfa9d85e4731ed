// SPDX-License-Identifier: Apache-2.0
// Chooses the operators that get a row. Of a step's thousands most only make a view of something: what is
// wanted of an operator is which memory it handled, and which node of the backward graph it made.
//
// A row is written
// - at once, for a node of the backward graph, for what such a node calls, and for a range that the program
//   named;
// - when memory is allocated or freed in the operator, or autograd takes or releases a storage in it: for
//   those around it, too;
// - when the next operator of the thread has another autograd sequence: this one, the last to begin with its
//   number, then made the node that carries it.
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

  // [any] [alloc-lock] Something that needs a row happened in the thread's innermost operator, by its
  // ordinal; STRATA_NONE: outside of any.
  void need(std::uint64_t op) const noexcept {
    if (op != STRATA_NONE) write_open(op);
  }

 private:
  void write_open(std::uint64_t op) const noexcept;
  // The same for a thread's operators, looked up once.
  void begin(ThreadOperators& mine, const strata_when& when, const strata_op_info& op) const noexcept;
  void write_open(ThreadOperators& mine, std::uint64_t op) const noexcept;
  void write_last(ThreadOperators& mine) const noexcept;

  Table<OpRow> table_;
  std::uint64_t run_;  // among all of this process
};

}  // namespace strata::allocator_tracer
