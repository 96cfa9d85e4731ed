// SPDX-License-Identifier: Apache-2.0
// The begins and ends of steps and phases, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

struct Mark {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  bool begins = false;
  bool is_step = false;
  std::size_t index = 0;  // into Facts::steps or Facts::phases
};

// By sequence. A range that never ended has no end.
std::vector<Mark> marks_of(const analysis::MemoryFacts& facts);

}  // namespace strata::exports
