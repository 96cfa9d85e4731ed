// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing (arXiv:1604.06174): a layer's activations are dropped after its forward, which
// runs again in backward to have them. Both ways are those of torch.utils.checkpoint, and hold the same
// tensors:
//
//   not reentrant  every tensor that autograd would have saved is replaced by a note; backward's first need
//   of
//                  one runs the layer again, up to the last that was saved, and each is freed as it is used.
//                  Needs a HookingEngine
//   reentrant      the layer runs without a graph; its backward runs it again, whole, with a graph of its
//   own,
//                  and goes backward through that. The input must require a gradient, or no weight in the
//                  layer gets one
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

// A part of a model that can run more than once: one tensor to one tensor. It owns what it needs beside its
// argument: it may run again in backward, after the forward that made it has returned.
using LayerFunction = std::function<at::Tensor(const at::Tensor&)>;

// A tensor, defined or not, that a LayerFunction owns beside its argument: a mask.
struct OwnedTensor {
  std::string_view name;
  at::Tensor tensor;
};
using OwnedTensors = std::vector<OwnedTensor>;

// Which parts of a model are checkpointed, and how. A value: every module that has such parts keeps a copy.
class CheckpointPlan {
 public:
  // Nothing.
  CheckpointPlan() = default;
  explicit CheckpointPlan(const config::CheckpointingConfig& config) : config_(config) {}

  // Each runs `layer(x)`, checkpointed if the plan says so and autograd records. `scope` is the part's, and
  // is marked when it runs again. `owned` is what `layer` owns and the program does not need after its
  // forward. Blocks count from 0. Throws std::invalid_argument for a reentrant part whose input requires no
  // gradient.
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
