// SPDX-License-Identifier: Apache-2.0
// Layers that multiply the last dimension by a matrix.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/module_scope.hpp"

namespace strata::trainer {

// A linear layer with any storage of its matrix.
class LinearLayer : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in_features;
    std::int64_t out_features;
    bool bias = false;
  };

  // [..., in] to [..., out].
  virtual at::Tensor forward(const at::Tensor& x) const = 0;
};

// y = x W^T + b, as torch.nn.Linear.
class Linear : public LinearLayer {
 public:
  // `weight` [out, in] from a normal distribution around 0, `bias` [out] of zeros.
  Linear(const Shape& shape, double standard_deviation, const ModelSite& site);
  // Uses the given `weight`, without bias.
  Linear(at::Tensor weight, const ModelSite& site);

  at::Tensor forward(const at::Tensor& x) const override;

 private:
  ModuleScope scope_;
  at::Tensor weight_;
  at::Tensor bias_;  // undefined if there is none
};

}  // namespace strata::trainer
