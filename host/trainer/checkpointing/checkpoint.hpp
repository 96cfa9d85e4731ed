// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing (arXiv:1604.06174): a layer's activations are dropped after its forward, which is
// repeated in backward to recompute them. Both ways are those of torch.utils.checkpoint, and hold the same
// tensors:
//
//   not reentrant  every tensor that autograd would have saved is replaced by a placeholder. The first use of
//   one in
//                  backward repeats the layer, up to the last saved tensor; each is freed as it is used.
//                  Needs a HookingEngine
//   reentrant      the layer runs without a graph. Its backward repeats it completely, with its own graph,
//   and runs
//                  backward through that. The input must require a gradient, otherwise the layer's weights
//                  get none
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/module_scope.hpp"

namespace strata::trainer {

// A part of a model that can run more than once, from one tensor to one tensor. It owns everything it needs
// besides its argument, because it may run again in backward, after the forward that created it has returned.
using LayerFunction = std::function<at::Tensor(const at::Tensor&)>;

// A tensor, possibly undefined, that a LayerFunction owns besides its argument: a mask.
struct OwnedTensor {
  std::string_view name;
  at::Tensor tensor;
};
using OwnedTensors = std::vector<OwnedTensor>;

// Which parts of a model are checkpointed, and how. A value type: every module with such parts has a copy.
class CheckpointPlan {
 public:
  // Checkpoints nothing.
  CheckpointPlan() = default;
  explicit CheckpointPlan(const config::CheckpointingConfig& config) : config_(config) {}

  // Each runs `layer(x)`, with a checkpoint if the plan selects it and autograd records. `scope` belongs to
  // the part, and is marked when it is repeated. `owned` is what `layer` owns and the program does not need
  // after the forward. Blocks count from 0. Throws std::invalid_argument for a reentrant part whose input
  // requires no gradient.
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
