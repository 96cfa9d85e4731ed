// SPDX-License-Identifier: Apache-2.0
// What multiplies the last dimension by a matrix, however it keeps it.
#pragma once

#include <torch/nn/module.h>

namespace strata::trainer {

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

}  // namespace strata::trainer
