// SPDX-License-Identifier: Apache-2.0
// What operators allocated and asked devices for, each with those that it called, and what ran within any
// interval of a thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

struct OpAmounts {
  std::uint64_t bytes = 0;     // of the blocks of Facts::blocks that were born in it
  std::int64_t device_ns = 0;  // of what it asked devices for
};

class OpAmountTable {
 public:
  // Facts must have times, and outlive this.
  explicit OpAmountTable(const analysis::Facts& facts);

  // With the operators that it called; index into TimeFacts::spans.
  const OpAmounts& of_op(std::uint32_t op) const { return with_called_[op]; }
  // Of all operators of the thread that began in it.
  OpAmounts within(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns) const;
  // The same of all threads.
  OpAmounts within(std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Sums {
    std::vector<std::int64_t> begins_ns;  // of the operators, in their order
    std::vector<OpAmounts> until;         // [i]: of the first i of them
    OpAmounts within(std::int64_t begin_ns, std::int64_t end_ns) const;
  };

  std::vector<OpAmounts> with_called_;
  std::unordered_map<std::uint32_t, Sums> threads_;
};

}  // namespace strata::report
