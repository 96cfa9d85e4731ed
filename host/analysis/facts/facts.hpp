// SPDX-License-Identifier: Apache-2.0
// What a run store says once it has been understood: the plain data that reports, exports and diffs are made
// from. Bytes are bytes, times are CLOCK_MONOTONIC nanoseconds, steps count from 0. A function that reads one
// part takes that part.
#pragma once

#include <string>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/facts/checks.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/facts/timing_facts.hpp"

namespace strata::analysis {

struct Facts : MemoryFacts, TimingFacts, CheckFacts {
  std::string directory;
  CallStacks call_stacks;  // of blocks by their birth_sequence, of failures by theirs
};

}  // namespace strata::analysis
