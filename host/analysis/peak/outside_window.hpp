// SPDX-License-Identifier: Apache-2.0
// What a run takes before or behind the window that a report is of, where that is more: as an evaluation
// behind the last step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace strata::analysis {

struct MemoryFacts;

struct OutsideWindow {
  std::uint64_t allocated_bytes = 0;
  std::uint64_t reserved_bytes = 0;  // the most in all of the run
  std::int64_t step = -1;            // -1: outside of steps
  std::string phase;                 // empty: outside of phases
};

// Nothing where the window's peak is the run's, but for a hundredth.
std::optional<OutsideWindow> higher_outside_window(const MemoryFacts& facts);

}  // namespace strata::analysis
