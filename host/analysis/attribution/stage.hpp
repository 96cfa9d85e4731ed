// SPDX-License-Identifier: Apache-2.0
// What the training step is doing, by the phases that are open.
#pragma once

#include <cstdint>

namespace strata::analysis {

enum class Stage : std::uint8_t {
  kSetup,    // before step 0
  kData,     // batches made and moved
  kForward,  // forward and loss, and the gaps from there to their backward
  kRecompute,
  kBackward,
  kGradientSync,
  kClip,
  kOptimizer,
  kZeroGrad,
  kCheckpointSave,
  kEvaluation,
  kOther,   // a phase known by its name alone
  kBetween  // no phase is open
};

// Of a phase of this kind (STRATA_PHASE_*) with nothing around it.
Stage stage_of_kind(std::uint32_t kind);

// What a phase is, given what is open around it: the innermost says it, but all of an evaluation is
// evaluation, all of the setup is setup, and a forward inside a backward computes again.
Stage nested(Stage own, Stage around);

}  // namespace strata::analysis
