// SPDX-License-Identifier: Apache-2.0
// The course of a run's program, in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/phase.hpp"
#include "host/analysis/facts/run_facts.hpp"
#include "host/analysis/facts/run_interval.hpp"
#include "host/analysis/facts/step.hpp"

namespace strata::analysis {

struct ProgramFacts : RunFacts {
  std::vector<std::string> texts;              // referred to by index in other facts; [0] is empty
  std::vector<PhaseFact> phases;               // by begin_sequence
  std::vector<StepFact> steps;                 // by index
  std::int64_t first_step = 0, last_step = 0;  // the window covered by the statistics
  std::int64_t window_begin_ns = 0, window_end_ns = 0;
  std::uint64_t window_begin_sequence = 0, window_end_sequence = UINT64_MAX;
};

// The interval of that step; the window if the run has no such step.
RunInterval interval_of(const ProgramFacts& facts, std::int64_t step);

}  // namespace strata::analysis
