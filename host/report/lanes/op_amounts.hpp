// SPDX-License-Identifier: Apache-2.0
// The memory allocated and device work requested by operators, each including called ones, and within any
// interval of a thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

struct OpAmounts {
  std::uint64_t bytes = 0;     // of blocks in Facts::blocks born in it
  std::int64_t device_ns = 0;  // of the work that it requested
};

class OpAmountTable {
 public:
  // The facts must have times, and outlive this.
  explicit OpAmountTable(const analysis::Facts& facts);

  // Including called operators; index into TimeFacts::spans.
  const OpAmounts& of_op(std::uint32_t op) const { return with_called_[op]; }
  // For all operators of the thread that began within the interval.
  OpAmounts within(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns) const;
  // The same for all threads.
  OpAmounts within(std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Sums {
    std::vector<std::int64_t> begins_ns;  // of the operators, in their order
    std::vector<OpAmounts> until;         // [i]: sum over the first i of them
    OpAmounts within(std::int64_t begin_ns, std::int64_t end_ns) const;
  };

  std::vector<OpAmounts> with_called_;
  std::unordered_map<std::uint32_t, Sums> threads_;
};

}  // namespace strata::report
