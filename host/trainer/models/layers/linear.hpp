// SPDX-License-Identifier: Apache-2.0
// y = x W^T + b, as torch.nn.Linear.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class Linear : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in_features;
    std::int64_t out_features;
    bool bias = false;
  };

  // `weight` [out, in] from a normal distribution around 0, `bias` [out] of zeros.
  Linear(const Shape& shape, double standard_deviation, const ModelSite& site);

  // [..., in] to [..., out].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  ModuleScope scope_;
  at::Tensor weight_;
  at::Tensor bias_;  // undefined without
};

}  // namespace strata::trainer
