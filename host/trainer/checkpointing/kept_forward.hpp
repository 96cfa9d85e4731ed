// SPDX-License-Identifier: Apache-2.0
// The state that a checkpointed layer keeps from its forward until it is repeated.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <memory>

#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"
#include "host/trainer/models/module_scope.hpp"
#include "host/trainer/precision/number_format.hpp"

namespace strata::trainer {

// The state that a forward depends on besides its inputs and weights: random number generators and autocast.
class ForwardState {
 public:
  // The calling thread's state, for a forward on `device` of the module at `scope`, which keeps it.
  ForwardState(at::Device device, const ModuleScope& scope);

  // While it lives, generators have their old state, autocast is set and gradients are recorded; then the
  // generators are restored.
  class Again {
   public:
    explicit Again(const ForwardState& state);
    ~Again();
    Again(const Again&) = delete;
    Again& operator=(const Again&) = delete;

   private:
    at::Device device_;
    at::Tensor cpu_generator_;     // its state at the forward
    at::Tensor device_generator_;  // undefined on the CPU
    AutocastGuard autocast_;
    at::AutoGradMode gradients_;
  };

 private:
  at::Device device_;
  at::Tensor cpu_generator_;
  at::Tensor device_generator_;
  AutocastState autocast_;
};

// A tensor that we keep, reported to the engine that observes saved tensors.
class Kept {
 public:
  void keep(const at::Tensor& tensor);
  const at::Tensor& tensor() const { return tensor_; }
  // Stops keeping it and returns it.
  at::Tensor take();

 private:
  at::Tensor tensor_;
  std::unique_ptr<SavedVariableHooks> watched_;
};

enum class InputPlace { kWhereItIs, kHostMemory };

// The layer's input: on its device, or in host memory.
class KeptInput {
 public:
  // A copy to host memory is ordered on the current stream: `x` may be freed at once.
  KeptInput(const at::Tensor& x, InputPlace place, const ModuleScope& scope);

  // The input for the repeated forward: the same tensor, or an equal one on its device again. It requires a
  // gradient if `x` did, and is not a leaf if `x` was not.
  at::Tensor bring_back(const ModuleScope& scope) const;

 private:
  Kept kept_;
  at::Device device_;
  bool is_moved_;
  bool requires_gradient_;
};

}  // namespace strata::trainer
