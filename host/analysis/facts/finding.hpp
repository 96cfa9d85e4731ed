// SPDX-License-Identifier: Apache-2.0
// What a recording proves of the memory at one moment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::analysis {

enum class FindingKind : std::uint8_t {
  kKeptFromEarlier,   // outputs, losses and graphs of earlier forwards
  kUnusedGraph,       // an autograd graph that no backward uses, or whose gradients no optimizer takes
  kUntakenGradients,  // gradients that no optimizer takes
  kListedOutputs,     // outputs of forwards without a graph, all held at once
  kHeldByProgram,     // what a forward made and nothing but a variable of the program holds
  kEvaluation,        // what forwards without a graph made
  kFragmentation,     // reserved and free, in pieces that were too small
  kDeferredFrees,     // freed, and still used by a stream
  kNextPeak,          // how far the next-highest moment of the step is below the peak
  kOutsidePhase,      // how far the highest moment outside of the peak's phase is below the peak
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
  std::uint64_t bytes = 0;  // that were there at that moment; of the last two kinds a distance
  std::string text;         // one sentence
  std::string module;       // the path of the one that made it all; empty: none did, or nobody knows
};

}  // namespace strata::analysis
