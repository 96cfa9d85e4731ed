// SPDX-License-Identifier: Apache-2.0
// How an optimizer steps one parameter, and what it keeps for it between steps.
#pragma once

#include <ATen/core/Tensor.h>

#include "host/trainer/saving/state_visitor.hpp"

namespace strata::trainer {

class UpdateRule {
 public:
  UpdateRule() = default;
  virtual ~UpdateRule() = default;
  UpdateRule(const UpdateRule&) = delete;
  UpdateRule& operator=(const UpdateRule&) = delete;

  // Always the same parameter, whose gradient this is. Called where no gradients are recorded; the gradient
  // stays as it is.
  virtual void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) = 0;

  // Shows all that the next step depends on besides its arguments and the configuration. No tensors before
  // the first step.
  virtual void visit(StateVisitor& visitor) = 0;
};

}  // namespace strata::trainer
