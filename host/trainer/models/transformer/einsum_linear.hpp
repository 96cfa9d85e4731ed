// SPDX-License-Identifier: Apache-2.0
// y = x W^T, without bias, as the course writes it.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class EinsumLinear : public torch::nn::Module {
 public:
  // `weight` [out, in], drawn with the variance 2 / (in + out).
  EinsumLinear(std::int64_t in_features, std::int64_t out_features, const ModelSite& site);

  // [..., in] to [..., out].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_;
};

}  // namespace strata::trainer
