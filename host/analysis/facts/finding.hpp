// SPDX-License-Identifier: Apache-2.0
// Statements about the memory at a moment that the recording proves. host/report/words makes the sentences.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace strata::analysis {

enum class FindingKind : std::uint8_t {
  kFailedForward,       // made by a forward that ran out of memory; its exception holds them
  kKeptFromEarlier,     // outputs, losses and graphs of earlier forwards
  kStepGrowth,          // left by step after step, made by anything but a forward
  kUsedGradients,       // gradients that the optimizer has used, below the next forward and backward
  kBucketCopies,        // gradients that are in a bucket of DistributedDataParallel as well
  kUnshardedGradients,  // whole gradients that a sharded rank keeps between micro-batches
  kGatheredParameters,  // whole parameters that a sharded rank keeps after a backward
  kWeightCopies,        // copies of weights that no operator computes with
  kSummedLosses,        // activations of forwards whose losses one backward uses together
  kUnusedGraph,         // an autograd graph not used by any backward, or whose gradients no optimizer uses
  kUntakenGradients,    // gradients that no optimizer uses
  kListedOutputs,       // outputs of forwards without a graph, all held at once
  kHeldByProgram,       // made by a forward and held only by a variable of the program
  kEvaluation,          // made by forwards without a graph
  kFragmentation,       // reserved and free, but in pieces that were too small
  kDeferredFrees,       // freed, but still used by a stream
  kNextPeak,            // distance of the step's next-highest moment below the peak
  kOutsidePhase,        // distance of the highest moment outside of the peak's phase below the peak
};

// In the order of FindingKind.
inline constexpr std::array<std::string_view, 18> kFindingKinds{
    "failed_forward",      "kept_from_earlier",   "step_growth",     "used_gradients", "bucket_copies",
    "unsharded_gradients", "gathered_parameters", "weight_copies",   "summed_losses",  "unused_graph",
    "untaken_gradients",   "listed_outputs",      "held_by_program", "evaluation",     "fragmentation",
    "deferred_frees",      "next_peak",           "outside_phase"};

constexpr std::string_view to_string(FindingKind kind) {
  return kFindingKinds.at(static_cast<std::size_t>(kind));
}

// The operator and module that made most of some blocks; empty if not recorded.
struct Maker {
  std::string op = {}, layer = {};
};

// From when on only the program needs a block that a forward made.
enum class MayGo : std::uint8_t {
  kNotYet,
  kBeforeBackward,   // logits, because a softmax has kept the values for its backward
  kBeforeOptimizer,  // after its backward
  kBeforeNextStep,   // in a later step than its own
};

enum class WhyUnused : std::uint8_t {
  kNoBackward,  // no backward has begun since
  kPassedBy,    // a backward does not traverse it
  kLikeOthers,  // a backward has begun since, but this forward is like others that it does not traverse
  kNoStep,      // traversed, but for gradients that no optimizer uses
};

// kFailedForward.
struct FailedFinding {
  std::uint64_t forwards = 0, blocks = 0;
};

// kKeptFromEarlier.
struct KeptFinding {
  std::uint64_t forwards = 0;
  bool are_graphs = false;  // their graphs keep more than half of the bytes
  Maker maker = {};
};

// kStepGrowth.
struct StepGrowthFinding {
  std::uint64_t steps = 0, blocks = 0;
  std::string phase = {};  // most of it was made in it; empty: between phases
  Maker maker = {};
};

// kSummedLosses.
struct SummedFinding {
  std::uint64_t forwards = 0;
};

// kUnusedGraph; Finding::module made the graphs.
struct UnusedGraphFinding {
  bool has_no_step = false;  // a backward uses them, but for gradients that no optimizer uses
};

// kListedOutputs and kEvaluation.
struct OutputsFinding {
  std::uint64_t blocks = 0;
  Maker maker = {};
};

// kHeldByProgram; `may_go` of the largest block.
struct HeldFinding {
  MayGo may_go = MayGo::kNotYet;
  Maker maker = {};
};

// kFragmentation.
struct PiecesFinding {
  std::uint64_t largest_bytes = 0, requested_bytes = 0;
};

// kNextPeak and kOutsidePhase: the moment that the peak is compared with.
struct BoundFinding {
  std::uint64_t allocated_bytes = 0;
  std::string phase;         // at that moment; empty: between phases
  std::string part_of_step;  // kOutsidePhase: the peak's phase
};

struct Finding {
  FindingKind kind = FindingKind::kFailedForward;
  std::uint64_t bytes = 0;  // present at that moment; for the last two kinds the distance
  std::string module = {};  // path of the module that made all of it; empty: none, or unknown
  std::variant<std::monostate, FailedFinding, KeptFinding, StepGrowthFinding, SummedFinding,
               UnusedGraphFinding, OutputsFinding, HeldFinding, PiecesFinding, BoundFinding>
      detail = {};
};

// Makes the sentence. Callers of the JSON writers pass the function of host/report/words.
using FindingText = std::string (*)(const Finding& finding);

}  // namespace strata::analysis
