// SPDX-License-Identifier: Apache-2.0
// What a ResNet (arXiv:1512.03385) is made of: convolutions around which their input passes.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>

#include <memory>
#include <vector>

#include "host/trainer/models/resnet/batch_norm.hpp"
#include "host/trainer/models/resnet/convolution.hpp"

namespace strata::trainer {

class ResidualBlock : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in_channels;
    std::int64_t width;
    std::int64_t stride;
    bool is_bottleneck;  // 1x1, 3x3 and 1x1 to 4 width channels, as ResNet-50; else twice 3x3, as ResNet-18

    std::int64_t out_channels() const { return is_bottleneck ? 4 * width : width; }
  };

  // Named as torchvision's: "conv1", "bn1", ..., and "downsample.0" and "downsample.1", through which the
  // input passes where its shape changes.
  ResidualBlock(const Shape& shape, const ModelSite& site);

  // [batch, in_channels, height, width] to [batch, out_channels, height / stride, width / stride].
  at::Tensor forward(const at::Tensor& x);

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  // A convolution and the normalisation of what it gives.
  struct Layer {
    std::shared_ptr<Convolution> convolution;
    std::shared_ptr<BatchNorm> norm;

    at::Tensor forward(const at::Tensor& x) const { return norm->forward(convolution->forward(x)); }
  };

  void add_layer(const Convolution::Shape& shape, const ModelSite& site);

  ModuleScope scope_;
  std::vector<Layer> layers_;
  Layer shortcut_;  // empty where the input passes as it is
};

}  // namespace strata::trainer
