// SPDX-License-Identifier: Apache-2.0
// What the victim of the kill test writes to its pipe in one write: the number of rows after this
// append.
#pragma once

#include <cstdint>

namespace strata {

inline constexpr std::uint32_t kVictimWriters = 3;

struct VictimReport {
  std::uint64_t writer;
  std::uint64_t rows;
};

}  // namespace strata
