// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace strata::analysis {

struct Facts;

// A part of the run, both ends included.
struct Stretch {
  std::int64_t step = -1;  // -1: no single step
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = 0;
};

// That step; the window where the run has none of that number.
Stretch stretch_of(const Facts& facts, std::int64_t step);

}  // namespace strata::analysis
