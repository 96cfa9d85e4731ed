// SPDX-License-Identifier: Apache-2.0
// The input of a checkpointed layer from its forward until it runs again: where it is, or in the host's
// memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"
#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

// A tensor that we keep, told to whoever watches what is kept.
class Kept {
 public:
  void keep(const at::Tensor& tensor);
  const at::Tensor& tensor() const { return tensor_; }
  // Lets go of it.
  at::Tensor take();

 private:
  at::Tensor tensor_;
  std::unique_ptr<SavedVariableHooks> watched_;
};

enum class InputPlace { kWhereItIs, kHostMemory };

class KeptInput {
 public:
  // A copy to the host's memory is in the order of the current stream: `x` may be freed at once.
  KeptInput(const at::Tensor& x, InputPlace place, const ModuleScope& scope);

  // What the layer runs again with: the same tensor, or one like it on its device again. Either requires a
  // gradient if `x` did, and is no leaf if `x` was none.
  at::Tensor bring_back(const ModuleScope& scope) const;

 private:
  Kept kept_;
  at::Device device_;
  bool is_moved_;
  bool requires_gradient_;
};

}  // namespace strata::trainer
