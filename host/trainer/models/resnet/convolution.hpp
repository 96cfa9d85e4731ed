// SPDX-License-Identifier: Apache-2.0
// A convolution without bias, as torch.nn.Conv2d.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class Convolution : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in_channels;
    std::int64_t out_channels;
    std::int64_t kernel;  // of so many pixels square; padded so that a stride of 1 keeps the size
    std::int64_t stride = 1;
  };

  // `weight` [out, in, kernel, kernel] from a normal distribution of variance 2 / (out kernel^2).
  Convolution(const Shape& shape, const ModelSite& site);

  // [batch, in, height, width] to [batch, out, height / stride, width / stride].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  Shape shape_;
  ModuleScope scope_;
  at::Tensor weight_;
};

}  // namespace strata::trainer
