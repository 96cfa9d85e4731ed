// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing (arXiv:1604.06174): a layer's activations are dropped after its forward, which
// runs again in backward to have them. Both ways are those of torch.utils.checkpoint, and hold what these
// hold.
#pragma once

#include "host/trainer/checkpointing/kept_input.hpp"
#include "host/trainer/checkpointing/layer_function.hpp"
#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

// `layer(x)`, of whose graph nothing but its input stays. Every tensor that autograd would have saved is
// replaced by a note; backward's first need of one runs the layer again, up to the last that was saved, and
// each is freed as it is used. Needs a HookingEngine. `scope` is marked as running again. Until then its
// input is kept at `place`.
at::Tensor checkpoint(const LayerFunction& layer, const at::Tensor& x, const ModuleScope& scope,
                      InputPlace place);

// `layer(x)` without a graph. Its backward runs the layer again, whole, with a graph of its own, and goes
// backward through that. `x` must require a gradient, or no weight in the layer gets one: throws
// std::invalid_argument otherwise.
at::Tensor reentrant_checkpoint(const LayerFunction& layer, const at::Tensor& x, const ModuleScope& scope);

}  // namespace strata::trainer
