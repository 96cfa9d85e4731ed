// SPDX-License-Identifier: Apache-2.0
// Layer normalisation (arXiv:1607.06450), as torch.nn.LayerNorm over the last dimension.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class LayerNorm : public torch::nn::Module {
 public:
  // `weight` [features], ones; `bias` [features], zeros, if wanted.
  LayerNorm(std::int64_t features, double epsilon, bool bias, const ModelSite& site);

  // [..., features] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  double epsilon_;
  ModuleScope scope_;
  at::Tensor weight_;
  at::Tensor bias_;  // undefined without
};

}  // namespace strata::trainer
