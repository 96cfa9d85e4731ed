// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/checkpointing/checkpoint_plan.hpp"

#include <c10/core/GradMode.h>

#include "host/trainer/checkpointing/checkpoint.hpp"

namespace strata::trainer {

using config::CheckpointedPart;

at::Tensor CheckpointPlan::run_block(std::size_t block, const ModuleScope& scope, const LayerFunction& layer,
                                     const at::Tensor& x, const OwnedTensors& owned) const {
  const bool is_nth = (block + 1) % static_cast<std::size_t>(config_.every) == 0;
  return run(config_.part == CheckpointedPart::kBlocks && is_nth, scope, layer, x, owned);
}

at::Tensor CheckpointPlan::run_attention(const ModuleScope& scope, const LayerFunction& layer,
                                         const at::Tensor& x, const OwnedTensors& owned) const {
  return run(config_.part == CheckpointedPart::kAttention, scope, layer, x, owned);
}

at::Tensor CheckpointPlan::run_feed_forward(const ModuleScope& scope, const LayerFunction& layer,
                                            const at::Tensor& x) const {
  return run(config_.part == CheckpointedPart::kFeedForward, scope, layer, x, {});
}

at::Tensor CheckpointPlan::run(bool checkpointed, const ModuleScope& scope, const LayerFunction& layer,
                               const at::Tensor& x, const OwnedTensors& owned) const {
  if (!checkpointed || !c10::GradMode::is_enabled()) return layer(x);
  for (const OwnedTensor& kept : owned) scope.keeps(kept.name, kept.tensor);
  if (config_.reentrant) return reentrant_checkpoint(layer, x, scope);
  return checkpoint(layer, x, scope, config_.offload ? InputPlace::kHostMemory : InputPlace::kWhereItIs);
}

}  // namespace strata::trainer
