// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace strata::analysis {

// A part of the run, both ends included.
struct RunInterval {
  std::int64_t step = -1;  // -1: no single step
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = 0;
};

// The interval of the run covered by statistics: from the begin of its first step to the end of its last.
struct Window {
  std::int64_t first_step = 0, last_step = 0;
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = 0;
};

}  // namespace strata::analysis
