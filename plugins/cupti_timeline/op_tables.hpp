// SPDX-License-Identifier: Apache-2.0
// The rows of operators and their tables (docs/run-store.md). An operator has one row, written at its end;
// one that never ends has none. Its phase and step are those at its begin.
#pragma once

#include <cstdint>

#include "strata/table.hpp"

namespace strata::cupti_timeline {

struct OpRow {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t op;
  std::uint64_t parent;
  std::int64_t autograd_sequence;
  std::uint64_t forward_thread;
  std::uint32_t thread;
  std::uint32_t kind;
  std::uint32_t name;
  std::uint32_t module;
};
static_assert(sizeof(OpRow) == 64, "a cache line: one is written for each operator");

// For an operator whose source reported the shape of its product.
struct ProductRow {
  std::uint64_t op;
  std::uint64_t bytes;
  std::uint32_t batch;
  std::uint32_t m;
  std::uint32_t n;
  std::uint32_t k;
  std::uint32_t products;
  std::uint32_t element_bytes;
};

// [loop-thread] Each throws std::runtime_error if the host rejects the table.
Table<OpRow> op_table(const Host& host);
Table<ProductRow> product_table(const Host& host);

}  // namespace strata::cupti_timeline
