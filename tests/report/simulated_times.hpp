// SPDX-License-Identifier: Apache-2.0
// Times for a simulated training, as the plugin cupti_timeline and the source cupti would have recorded them.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/facts/facts.hpp"

namespace strata::report::testing {

struct SimulatedTimes {
  std::size_t operators = 3000;  // approximate number, including nested ones
  bool device = true;            // each outermost operator launches a kernel; backward has its own thread
  std::string kernel_name = "gemm_kernel";
  std::size_t nesting = 3;  // levels of nested operators
};

inline constexpr std::uint32_t kTrainingThread = 100, kAutogradThread = 101;

// Adds times to the phases of the window's steps: consecutive operators, each with two nested levels; modules
// around those of forward; a matrix product in every fifth; kernels that begin after their operators, copies
// that overlap them, and a memset. Blocks get the innermost operator that was open when they were born.
void add_times(analysis::Facts& facts, const SimulatedTimes& times = {});

}  // namespace strata::report::testing
