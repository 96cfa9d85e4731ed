// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/stage.hpp"

#include "strata/ext/phase.h"

namespace strata::analysis {

Stage stage_of_kind(std::uint32_t kind) {
  switch (kind) {
    case STRATA_PHASE_SETUP:
      return Stage::kSetup;
    case STRATA_PHASE_DATA:
    case STRATA_PHASE_HOST_TO_DEVICE:
      return Stage::kData;
    case STRATA_PHASE_FORWARD:
    case STRATA_PHASE_LOSS:
      return Stage::kForward;
    case STRATA_PHASE_BACKWARD:
      return Stage::kBackward;
    case STRATA_PHASE_GRADIENT_SYNC:
      return Stage::kGradientSync;
    case STRATA_PHASE_CLIP:
      return Stage::kClip;
    case STRATA_PHASE_OPTIMIZER:
      return Stage::kOptimizer;
    case STRATA_PHASE_ZERO_GRAD:
      return Stage::kZeroGrad;
    case STRATA_PHASE_CHECKPOINT_SAVE:
      return Stage::kCheckpointSave;
    case STRATA_PHASE_EVALUATION:
      return Stage::kEvaluation;
    default:
      return Stage::kOther;
  }
}

Stage nested(Stage own, Stage around) {
  if (around == Stage::kEvaluation || around == Stage::kSetup) return around;
  if (own == Stage::kForward && (around == Stage::kBackward || around == Stage::kRecompute))
    return Stage::kRecompute;
  return own == Stage::kOther ? around : own;
}

}  // namespace strata::analysis
