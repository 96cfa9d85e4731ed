// SPDX-License-Identifier: Apache-2.0
// Statements about the memory at a moment that the recording proves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::analysis {

enum class FindingKind : std::uint8_t {
  kKeptFromEarlier,   // outputs, losses and graphs of earlier forwards
  kUnusedGraph,       // an autograd graph not used by any backward, or whose gradients no optimizer uses
  kUntakenGradients,  // gradients that no optimizer uses
  kListedOutputs,     // outputs of forwards without a graph, all held at once
  kHeldByProgram,     // made by a forward and held only by a variable of the program
  kEvaluation,        // made by forwards without a graph
  kFragmentation,     // reserved and free, but in pieces that were too small
  kDeferredFrees,     // freed, but still used by a stream
  kNextPeak,          // distance of the step's next-highest moment below the peak
  kOutsidePhase,      // distance of the highest moment outside of the peak's phase below the peak
};

// In the order of FindingKind.
inline constexpr std::array<std::string_view, 10> kFindingKinds{
    "kept_from_earlier", "unused_graph",  "untaken_gradients", "listed_outputs", "held_by_program",
    "evaluation",        "fragmentation", "deferred_frees",    "next_peak",      "outside_phase"};

constexpr std::string_view to_string(FindingKind kind) {
  return kFindingKinds.at(static_cast<std::size_t>(kind));
}

struct Finding {
  FindingKind kind = FindingKind::kKeptFromEarlier;
  std::uint64_t bytes = 0;  // present at that moment; for the last two kinds the distance
  std::string text;         // one sentence
  std::string module;       // path of the module that made all of it; empty: none, or unknown
};

}  // namespace strata::analysis
