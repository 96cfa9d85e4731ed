// SPDX-License-Identifier: Apache-2.0
// All facts of a run: the plain data from which reports, exports and diffs are made. Sizes are in bytes,
// times in CLOCK_MONOTONIC nanoseconds; steps count from 0. A function that needs only one part takes only
// that part.
#pragma once

#include <string>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/facts/checks.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/facts/timing_facts.hpp"

namespace strata::analysis {

struct Facts : MemoryFacts, TimingFacts, CheckFacts {
  std::string directory;
  CallStacks call_stacks;  // of blocks by birth_sequence, of failures by theirs
};

}  // namespace strata::analysis
