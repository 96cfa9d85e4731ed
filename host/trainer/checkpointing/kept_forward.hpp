// SPDX-License-Identifier: Apache-2.0
// What a checkpointed layer keeps from its forward until it runs again.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <memory>

#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"
#include "host/trainer/models/module_scope.hpp"
#include "host/trainer/precision/number_format.hpp"

namespace strata::trainer {

// What a forward depends on beside its inputs and weights: the random number generators and autocast.
class ForwardState {
 public:
  // The calling thread's, for a forward on `device` of the module at `scope`, which keeps it.
  ForwardState(at::Device device, const ModuleScope& scope);

  // Puts the generators back while it lives, and then to where they were; sets autocast and records
  // gradients.
  class Again {
   public:
    explicit Again(const ForwardState& state);
    ~Again();
    Again(const Again&) = delete;
    Again& operator=(const Again&) = delete;

   private:
    at::Device device_;
    at::Tensor cpu_generator_;     // as it was
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

// A tensor that we keep, reported to the engine that watches what is kept.
class Kept {
 public:
  void keep(const at::Tensor& tensor);
  const at::Tensor& tensor() const { return tensor_; }
  // Keeps it no longer.
  at::Tensor take();

 private:
  at::Tensor tensor_;
  std::unique_ptr<SavedVariableHooks> watched_;
};

enum class InputPlace { kWhereItIs, kHostMemory };

// The input of the layer: where it is, or in the host's memory.
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
