// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of images (arXiv:1502.03167) in training, as torch.nn.BatchNorm2d.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class BatchNorm : public torch::nn::Module {
 public:
  // `weight` and `bias` [channels], ones and zeros; buffers: the running mean and variance, and how many
  // batches they saw.
  BatchNorm(std::int64_t channels, const ModelSite& site);

  // [batch, channels, height, width] to the same shape, by the batch's own mean and variance.
  at::Tensor forward(const at::Tensor& x);

 private:
  ModuleScope scope_;
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor running_mean_;
  at::Tensor running_variance_;
  at::Tensor batches_seen_;
};

}  // namespace strata::trainer
