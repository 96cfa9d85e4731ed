// SPDX-License-Identifier: Apache-2.0
// Times for a simulated training, as the plugin cupti_timeline and the source cupti would have recorded them.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/facts/facts.hpp"

namespace strata::report::testing {

struct SimulatedTimes {
  std::size_t operators = 3000;  // about so many, those that others call included
  bool device = true;  // each outermost operator asks a device for a kernel; backward has a thread of its own
  std::string kernel_name = "gemm_kernel";
  std::size_t nesting = 3;  // operators within one another
};

inline constexpr std::uint32_t kTrainingThread = 100, kAutogradThread = 101;

// Of the phases of the window's steps: operators one beside another, each holding one that holds one; modules
// around those of forward; a matrix product in every fifth; kernels that begin after their operators, copies
// beside them, and a set. Blocks get the innermost operator that was open when they were born.
void add_times(analysis::Facts& facts, const SimulatedTimes& times = {});

}  // namespace strata::report::testing
