// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/reasons.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace strata::report {
namespace {

using analysis::Reason;

struct ReasonRow {
  Reason reason;
  std::string_view text;
};

constexpr std::array kReasonTexts{
    ReasonRow{Reason::kNone, ""},
    ReasonRow{Reason::kLeafActivation,
              "has a gradient, is in no model and no optimizer, and was made by a layer"},
    ReasonRow{
        Reason::kLeafInput,
        "has a gradient, is in no model and no optimizer, and is gone by the optimizer of the step after "
        "next"},
    ReasonRow{Reason::kParameter, "registered as a parameter"},
    ReasonRow{Reason::kBuffer, "registered as a buffer"},
    ReasonRow{Reason::kEma, "registered as a moving average of parameters"},
    ReasonRow{Reason::kOptimizerState, "registered as optimizer state"},
    ReasonRow{Reason::kProjector, "registered as an optimizer's projector"},
    ReasonRow{Reason::kScaler, "registered as a gradient scaler's state"},
    ReasonRow{Reason::kBucket, "registered as a bucket of gradients"},
    ReasonRow{Reason::kGradient, "registered as a parameter's gradient"},
    ReasonRow{Reason::kInput, "registered as an input"},
    ReasonRow{Reason::kTarget, "registered as a target"},
    ReasonRow{Reason::kPrefetch, "registered as a later step's input"},
    ReasonRow{Reason::kLogits, "registered as logits"},
    ReasonRow{Reason::kLoss, "registered as a loss"},
    ReasonRow{Reason::kKeptWorkspace, "registered as what a library computes in"},
    ReasonRow{Reason::kCheckpointInput, "registered as what a checkpointed layer keeps until it runs again"},
    ReasonRow{Reason::kOffloaded, "registered as moved to the host's memory until backward"},
    ReasonRow{Reason::kAutocastCopy, "registered as autocast's copy of a parameter"},
    ReasonRow{Reason::kReplica, "made by Broadcast: a copy of parameters for another card's forward"},
    ReasonRow{Reason::kGathered, "sharded parameters put together, for the layers that compute with them"},
    ReasonRow{Reason::kShardedGradient,
              "this rank's part of gradients that were summed over the ranks, kept"},
    ReasonRow{Reason::kShardingTemp,
              "born while parameters were gathered or gradients summed over the ranks"},
    ReasonRow{Reason::kSavedRecompute, "saved by autograd in a forward that ran again inside backward"},
    ReasonRow{Reason::kSavedRetained, "saved by autograd and held beyond the end of its backward"},
    ReasonRow{Reason::kSaved, "saved by autograd"},
    ReasonRow{Reason::kBackwardSeed,
              "made by ones_like just before the first backward node: the gradient of the loss"},
    ReasonRow{Reason::kAccumulateTemp,
              "born in backward and dead once it was added to the gradient that was there"},
    ReasonRow{Reason::kWorkspace, "never left the one matrix product or convolution that made it"},
    ReasonRow{
        Reason::kGraphPool,
        "in a private pool, as of a CUDA graph, kept beyond its step, and at most found as a plain tensor"},
    ReasonRow{Reason::kSetupTemp, "born in setup and dead before the first step"},
    ReasonRow{Reason::kGradientCopy, "registered as a copy of a gradient, which the program made for itself"},
    ReasonRow{Reason::kUsedCopy, "registered as a copy of parameters, and an operator computes with it"},
    ReasonRow{
        Reason::kWeightCopy,
        "registered as a copy of parameters that is no moving average, such as a checkpoint; no operator "
        "computes with it"},
    ReasonRow{Reason::kDataTemp, "born and dead while a batch was made"},
    ReasonRow{Reason::kDataKept, "born while a batch was made, dead in the same step"},
    ReasonRow{Reason::kDataAhead, "born while a batch was made and kept beyond its step"},
    ReasonRow{
        Reason::kForwardBefore,
        "made by a forward without a graph, or by a matrix product, before the forward whose backward it is "
        "there for"},
    ReasonRow{Reason::kBatchBetween,
              "born behind a step's optimizer and dead before the optimizer of the step after next"},
    ReasonRow{
        Reason::kBatchBeforeForward,
        "born in a step before a forward, there when its backward began, and gone by the optimizer of the "
        "next step"},
    ReasonRow{Reason::kBatchCutShort,
              "born before a forward and alive when that, or the run before an optimizer, was cut short; "
              "provisional"},
    ReasonRow{Reason::kRecomputeTemp, "born and dead in a forward that ran again inside backward"},
    ReasonRow{Reason::kRecompute,
              "born in a forward that ran again inside backward, dead before that backward ended"},
    ReasonRow{Reason::kForwardTemp, "born in forward and dead before its backward began"},
    ReasonRow{Reason::kActivation,
              "born in forward, alive when its backward began, dead before that backward ended"},
    ReasonRow{Reason::kForwardResidue, "born in forward and alive beyond the end of its backward"},
    ReasonRow{Reason::kForwardOnlyTemp, "born and dead in a phase of a forward that no backward followed"},
    ReasonRow{Reason::kForwardCutShort,
              "born in forward, alive when that or the run was cut short; provisional"},
    ReasonRow{Reason::kForwardOnlyResidue, "alive at the end of a forward that no backward followed"},
    ReasonRow{Reason::kFlowing, "born and dead in backward"},
    ReasonRow{Reason::kGradientLeft, "as large as a parameter, left behind by backward"},
    ReasonRow{Reason::kBackwardGraph,
              "made by an operator of backward that autograd recorded (create_graph), and kept beyond it"},
    ReasonRow{Reason::kGradientSyncTemp, "born and dead while gradients were exchanged"},
    ReasonRow{Reason::kGradientSyncKept,
              "born while gradients were exchanged, and kept: what communication holds"},
    ReasonRow{Reason::kClipTemp, "born in gradient clipping and dead in the same step"},
    ReasonRow{Reason::kOptimizerTemp, "born and dead in the optimizer"},
    ReasonRow{Reason::kOptimizerCutShort,
              "born in an optimizer's step that was cut short, and not as zeros like something; provisional"},
    ReasonRow{Reason::kBatchBehindOptimizer,
              "born in an optimizer that names nothing, and dead between the next one's end and the end of a "
              "loop's turn"},
    ReasonRow{Reason::kOptimizerStateLeft, "born in the optimizer and still there at its next step"},
    ReasonRow{Reason::kOptimizerStateAtEnd, "born in the optimizer and alive at the end"},
    ReasonRow{Reason::kZeroGradTemp, "born and dead while gradients were cleared"},
    ReasonRow{Reason::kEvaluationTemp, "born and dead in one phase of an evaluation"},
    ReasonRow{Reason::kEvaluationResidue, "alive at the end of a phase of an evaluation"},
    ReasonRow{Reason::kCheckpointSaveTemp, "born and dead while a checkpoint was written"},
    ReasonRow{Reason::kOtherTemp, "born and dead in one phase that is known by its name alone"},
    ReasonRow{Reason::kBetweenTemp, "born between phases and dead in the same step"},
    ReasonRow{
        Reason::kForwardAlone,
        "made by a forward without a graph, or by a matrix product, outside of phases, and kept beyond its "
        "step"},
    ReasonRow{Reason::kBatchOfSeveralSteps,
              "born between phases as a registered input was, by the same operator and of as many bytes"},
    ReasonRow{Reason::kBetweenCutShort,
              "born between phases of the step in which the run was cut short, and alive then; provisional"},
    ReasonRow{Reason::kUnknownSetup, "born in setup, kept, and never registered"},
    ReasonRow{Reason::kUnknownBackward,
              "born in backward, kept beyond it, no parameter's size, and never registered"},
    ReasonRow{Reason::kUnknownOptimizer,
              "born in the optimizer, dead before its next step, and never registered"},
    ReasonRow{Reason::kUnknownBetween, "born between phases, kept beyond its step, and never registered"},
    ReasonRow{Reason::kUnknown, "kept beyond the phase of its birth, and never registered"},
    ReasonRow{Reason::kSnapshotCategory, "torch's snapshot gives this category"},
    ReasonRow{Reason::kSnapshotWithout, "torch's snapshot gives no category"},
};

constexpr bool each_reason_has_its_text() {
  if (kReasonTexts.size() != analysis::kReasons) return false;
  for (std::size_t index = 0; index < kReasonTexts.size(); ++index) {
    const ReasonRow& row = kReasonTexts[index];
    if (row.reason != static_cast<Reason>(index)) return false;
    if (row.text.empty() != (row.reason == Reason::kNone)) return false;
  }
  return true;
}
static_assert(each_reason_has_its_text());

}  // namespace

std::string_view reason_text(Reason reason) {
  return kReasonTexts.at(static_cast<std::size_t>(reason)).text;
}

}  // namespace strata::report
