// SPDX-License-Identifier: Apache-2.0
// What a forward depends on beside its inputs and weights, kept so that it can run again alike: the random
// number generators and autocast.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include "host/trainer/models/module_scope.hpp"
#include "host/trainer/precision/autocast.hpp"

namespace strata::trainer {

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

}  // namespace strata::trainer
