// How an optimizer steps one parameter, and what it keeps for it between steps.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>
#include <vector>

#include "strata/runtime/session.hpp"

namespace strata::trainer {

struct KeptTensor {
  std::string_view name;  // as OptimizerState's
  at::Tensor tensor;
  TensorRole role = TensorRole::kOptimizerState;
};

class UpdateRule {
 public:
  UpdateRule() = default;
  virtual ~UpdateRule() = default;
  UpdateRule(const UpdateRule&) = delete;
  UpdateRule& operator=(const UpdateRule&) = delete;

  // Always the same parameter, whose gradient this is. Called where no gradients are recorded; the gradient
  // stays as it is.
  virtual void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) = 0;

  // Nothing before the first step.
  virtual std::vector<KeptTensor> kept() const = 0;
};

}  // namespace strata::trainer
