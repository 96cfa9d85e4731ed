// SPDX-License-Identifier: Apache-2.0
// The stage of the training step, derived from the open phases.
#pragma once

#include <cstdint>

namespace strata::analysis {

enum class Stage : std::uint8_t {
  kSetup,    // before step 0
  kData,     // batches are made and moved
  kForward,  // forward and loss, and the gaps between them and backward
  kRecompute,
  kBackward,
  kGradientSync,
  kClip,
  kOptimizer,
  kZeroGrad,
  kCheckpointSave,
  kEvaluation,
  kOther,   // a phase known only by its name
  kBetween  // no phase is open
};

// For a phase of this kind (STRATA_PHASE_*) without an enclosing one.
Stage stage_of_kind(std::uint32_t kind);

// The stage of a phase inside `around`. The innermost phase decides, except: everything in an evaluation is
// evaluation, everything in setup is setup, and a forward inside a backward is recomputation.
Stage nested(Stage own, Stage around);

}  // namespace strata::analysis
