// SPDX-License-Identifier: Apache-2.0
// y = x W^T + b, as torch.nn.Linear.
#pragma once

#include "host/trainer/models/layers/linear_layer.hpp"
#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class Linear : public LinearLayer {
 public:
  // `weight` [out, in] from a normal distribution around 0, `bias` [out] of zeros.
  Linear(const Shape& shape, double standard_deviation, const ModelSite& site);
  // `weight` as it is given, and no bias.
  Linear(at::Tensor weight, const ModelSite& site);

  at::Tensor forward(const at::Tensor& x) const override;

 private:
  ModuleScope scope_;
  at::Tensor weight_;
  at::Tensor bias_;  // undefined without
};

}  // namespace strata::trainer
