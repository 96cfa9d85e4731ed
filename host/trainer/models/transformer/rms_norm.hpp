// SPDX-License-Identifier: Apache-2.0
// Root mean square layer normalisation (arXiv:1910.07467, equation 4).
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class RmsNorm : public torch::nn::Module {
 public:
  // `weight` [features], ones.
  RmsNorm(std::int64_t features, double epsilon, const ModelSite& site);

  // [..., features] to the same shape and dtype, computed in float32 or better.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  double epsilon_;
  ModuleScope scope_;
  at::Tensor weight_;
};

}  // namespace strata::trainer
