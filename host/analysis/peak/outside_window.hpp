// SPDX-License-Identifier: Apache-2.0
// Memory before or after the report's window if it is higher there, such as in an evaluation after the last
// step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace strata::analysis {

struct MemoryFacts;

struct OutsideWindow {
  std::uint64_t allocated_bytes = 0;
  std::uint64_t reserved_bytes = 0;  // the maximum of the whole run
  std::int64_t step = -1;            // -1: outside of steps
  std::string phase;                 // empty: outside of phases
};

// Empty if the window's peak is that of the run, within a hundredth.
std::optional<OutsideWindow> higher_outside_window(const MemoryFacts& facts);

}  // namespace strata::analysis
