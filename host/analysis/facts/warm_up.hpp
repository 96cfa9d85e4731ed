// SPDX-License-Identifier: Apache-2.0
// Why the first steps are slower than steady ones, and why some later steps are slow again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

// In the order in which they claim a step's time: first times that were measured directly, then differences
// from later calls, then counts, then the extra time of a phase in which something happened.
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

// What reveals the cause; without that recording, it cannot be found.
enum class Detector : std::uint8_t { kActivities, kOperators, kCounters, kPhases };

// The kinds of evidence for a cause, with the fields of Proof that they have. The phase is `name`.
enum class ProofKind : std::uint8_t {
  kActivities,          // `count` of the driver were timed; the longest is called `name` and took `ns`
  kModules,             // `count` were loaded, of `bytes`
  kProjections,         // `count` calls of SVD or QR took `ns` more than in a steady step
  kSlowCalls,           // `count` operators' calls in the phase took longer than usual: `calls`
  kProcessorWait,       // for `ns` the phase was ready to run
  kFaultsEstimated,     // `more` page faults in the phase; one takes `ns`, as measured at the run's begin
  kFaultsTimed,         // the same, but one takes `ns` by the phase's processor time
  kThreads,             // `more` were started in the phase; one takes `ns`, as measured at the run's begin
  kPrograms,            // child processes that ended in the phase had `ns` of processor time
  kStateTensors,        // `count` tensors of state were made
  kPhaseTime,           // the phase took `ns`, and `usual_ns` in steady steps
  kPhaseProcessorTime,  // for `ns` of that, the phase was at work
  kLibraries,           // `count` were opened: `libraries`
};

// How many of its calls or libraries a proof names.
inline constexpr std::size_t kNamedInProof = 3;

// An operator's call that took longer than it usually does.
struct SlowCall {
  std::string name;
  double ns = 0.0;  // the excess, without page faults
  bool is_first = true;
  std::int64_t libraries = 0;  // opened in it
};

// A piece of evidence; the fields that a kind does not mention are empty. host/report/words makes the text.
struct Proof {
  ProofKind kind{};
  std::string name = {};
  std::uint64_t count = 0;
  double more = 0.0;  // than the median of steady steps, which may end in a half
  double ns = 0.0, usual_ns = 0.0;
  std::uint64_t bytes = 0;
  std::vector<SlowCall> calls = {};         // kSlowCalls: the longest of `count`, longest first
  std::vector<std::string> libraries = {};  // kLibraries: the files' names of the first of `count`
};

// The part of a step's time due to one cause.
struct CauseShare {
  Cause cause{};
  double ns = 0.0;
  std::uint64_t count = 0;  // of calls, faults, libraries...
  std::vector<Proof> proofs = {};
};

// The extra time of a phase compared with steady steps.
struct PhaseExcess {
  std::string name;
  double ns = 0.0, excess_ns = 0.0;
};

struct SlowStep {
  std::int64_t step = 0;
  double ns = 0.0;
  double excess_ns = 0.0;           // above the steady median
  std::vector<CauseShare> causes;   // largest first; in total at most the excess
  double unattributed_ns = 0.0;     // the rest of the excess
  std::vector<PhaseExcess> phases;  // in order of time
};

// Between the run's begin and its first step. Nothing is compared here: times were measured, or counted.
struct BeforeSteps {
  double ns = 0.0;
  std::vector<CauseShare> causes;
  std::uint64_t libraries = 0, page_faults = 0;
};

struct WarmUp {
  bool is_recorded = false;        // the plugin warmup_analyzer was loaded
  std::vector<SlowStep> steps;     // in the warm-up; else the first step, if it took longer
  std::vector<SlowStep> again;     // steady steps that took much longer: the ten longest
  double excess_ns = 0.0;          // of `steps`, as are the values below
  std::vector<CauseShare> causes;  // largest first
  double unattributed_ns = 0.0;
  BeforeSteps before;
  std::uint64_t reference_steps = 0;   // with which slow ones were compared
  std::vector<Detector> not_recorded;  // causes that only these reveal cannot be found in this run
};

}  // namespace strata::analysis
