// SPDX-License-Identifier: Apache-2.0
// Which parts of a model are checkpointed, and how. A value: every module that has such parts keeps a copy.
#pragma once

#include <cstddef>

#include "host/config/run_config.hpp"
#include "host/trainer/checkpointing/layer_function.hpp"
#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

class CheckpointPlan {
 public:
  // Nothing.
  CheckpointPlan() = default;
  explicit CheckpointPlan(const config::CheckpointingConfig& config) : config_(config) {}

  // Each runs `layer(x)`, checkpointed if the plan says so and autograd records. `scope` is the part's.
  // `owned` is what `layer` owns and the program does not need after its forward. Blocks count from 0.
  at::Tensor run_block(std::size_t block, const ModuleScope& scope, const LayerFunction& layer,
                       const at::Tensor& x, const OwnedTensors& owned = {}) const;
  at::Tensor run_attention(const ModuleScope& scope, const LayerFunction& layer, const at::Tensor& x,
                           const OwnedTensors& owned = {}) const;
  at::Tensor run_feed_forward(const ModuleScope& scope, const LayerFunction& layer,
                              const at::Tensor& x) const;

 private:
  at::Tensor run(bool checkpointed, const ModuleScope& scope, const LayerFunction& layer, const at::Tensor& x,
                 const OwnedTensors& owned) const;

  config::CheckpointingConfig config_;
};

}  // namespace strata::trainer
