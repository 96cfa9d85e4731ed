// SPDX-License-Identifier: Apache-2.0
// Why a block is labelled as it is: which rule decided (attribution/rules.hpp). host/report/words has the
// sentences.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::analysis {

// In the order of the rules.
enum class Reason : std::uint8_t {
  kNone,  // no rule was asked

  // Owners.
  kLeafActivation,
  kLeafInput,
  kParameter,
  kBuffer,
  kEma,
  kOptimizerState,
  kProjector,
  kScaler,
  kBucket,
  kGradient,
  kInput,
  kTarget,
  kPrefetch,
  kLogits,
  kLoss,
  kKeptWorkspace,
  kCheckpointInput,
  kOffloaded,
  kAutocastCopy,
  kReplica,

  // Forms that fully_shard gives them.
  kGathered,
  kShardedGradient,
  kShardingTemp,

  // Facts from autograd's saved tensors.
  kSavedRecompute,
  kSavedRetained,
  kSaved,

  // Facts proved by ops.
  kBackwardSeed,
  kAccumulateTemp,
  kWorkspace,

  // Lifetimes over phases.
  kGraphPool,
  kSetupTemp,
  kGradientCopy,
  kUsedCopy,
  kWeightCopy,
  kDataTemp,
  kDataKept,
  kDataAhead,
  kForwardBefore,
  kBatchBetween,
  kBatchBeforeForward,
  kBatchCutShort,
  kRecomputeTemp,
  kRecompute,
  kForwardTemp,
  kActivation,
  kForwardResidue,
  kForwardOnlyTemp,
  kForwardCutShort,
  kForwardOnlyResidue,
  kFlowing,
  kGradientLeft,
  kBackwardGraph,
  kGradientSyncTemp,
  kGradientSyncKept,
  kClipTemp,
  kOptimizerTemp,
  kOptimizerCutShort,
  kBatchBehindOptimizer,
  kOptimizerStateLeft,
  kOptimizerStateAtEnd,
  kZeroGradTemp,
  kEvaluationTemp,
  kEvaluationResidue,
  kCheckpointSaveTemp,
  kOtherTemp,
  kBetweenTemp,
  kForwardAlone,
  kBatchOfSeveralSteps,
  kBetweenCutShort,

  // Unknown.
  kUnknownSetup,
  kUnknownBackward,
  kUnknownOptimizer,
  kUnknownBetween,
  kUnknown,

  // No rule: a snapshot of torch.cuda.memory (attribution/snapshot_notes.hpp).
  kSnapshotCategory,
  kSnapshotWithout,
};

inline constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::kSnapshotWithout) + 1;

}  // namespace strata::analysis
