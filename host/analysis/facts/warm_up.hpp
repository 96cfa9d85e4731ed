// SPDX-License-Identifier: Apache-2.0
// Why the first steps are slower than steady ones, and those later steps that are slow again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

// In the order in which they claim a step's time: what was timed itself first, then what is a difference to
// later calls, then what is counted, then what a phase took more while something happened in it.
enum class Cause : std::uint8_t {
  kContext,
  kModules,
  kKernels,
  kJit,
  kSegments,
  kProfiler,
  kDriver,
  kProcessorWait,
  kProjector,
  kCommunicator,
  kLibraryHandles,
  kFirstCalls,
  kPageFaults,
  kThreads,
  kPrograms,
  kOptimizerState,
  kDataLoader,
  kSharedLibraries,
};

// What it is seen by; where that was not recorded, it cannot be.
enum class Detector : std::uint8_t { kActivities, kOperators, kCounters, kPhases };

// What one cause took of a step.
struct CauseShare {
  Cause cause{};
  double ns = 0.0;
  std::uint64_t count = 0;  // of calls, faults, libraries...
  std::string proof;        // what was seen, in words
};

// What a phase took more than it does in steady steps.
struct PhaseExcess {
  std::string name;
  double ns = 0.0, excess_ns = 0.0;
};

struct SlowStep {
  std::int64_t step = 0;
  double ns = 0.0;
  double excess_ns = 0.0;           // over the steady median
  std::vector<CauseShare> causes;   // largest first; never more than the excess in all
  double unattributed_ns = 0.0;     // what is left of the excess
  std::vector<PhaseExcess> phases;  // as they follow each other
};

// Between the run's begin and its first step. Nothing is compared here: what is told was timed, or counted.
struct BeforeSteps {
  double ns = 0.0;
  std::vector<CauseShare> causes;
  std::uint64_t libraries = 0, page_faults = 0;
};

struct WarmUp {
  bool is_recorded = false;        // the plugin warmup_analyzer was there
  std::vector<SlowStep> steps;     // of the warm-up; else the first step, if it took longer
  std::vector<SlowStep> again;     // steady ones that took far longer: the ten that took most
  double excess_ns = 0.0;          // of `steps`, as all that follows
  std::vector<CauseShare> causes;  // largest first
  double unattributed_ns = 0.0;
  BeforeSteps before;
  std::uint64_t reference_steps = 0;   // that slow ones were compared with
  std::vector<Detector> not_recorded;  // causes that only these see cannot be found in this run
};

}  // namespace strata::analysis
