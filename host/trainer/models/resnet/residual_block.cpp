// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/resnet/residual_block.hpp"

#include <string>

namespace strata::trainer {

ResidualBlock::ResidualBlock(const Shape& shape, const ModelSite& site) : scope_(site.scope) {
  if (shape.is_bottleneck) {
    add_layer({shape.in_channels, shape.width, 1}, site);
    add_layer({shape.width, shape.width, 3, shape.stride}, site);
    add_layer({shape.width, shape.out_channels(), 1}, site);
  } else {
    add_layer({shape.in_channels, shape.width, 3, shape.stride}, site);
    add_layer({shape.width, shape.width, 3}, site);
  }
  if (shape.stride == 1 && shape.in_channels == shape.out_channels()) return;
  torch::nn::ModuleList downsample = register_module("downsample", torch::nn::ModuleList());
  const ModelSite shortcut = site.child("downsample");
  shortcut_ = {
      std::make_shared<Convolution>(
          Convolution::Shape{shape.in_channels, shape.out_channels(), 1, shape.stride}, shortcut.child("0")),
      std::make_shared<BatchNorm>(shape.out_channels(), shortcut.child("1"))};
  downsample->push_back(shortcut_.convolution);
  downsample->push_back(shortcut_.norm);
}

void ResidualBlock::add_layer(const Convolution::Shape& shape, const ModelSite& site) {
  const std::string number = std::to_string(layers_.size() + 1);
  const std::string convolution = "conv" + number;
  const std::string norm = "bn" + number;
  layers_.push_back(
      {register_module(convolution, std::make_shared<Convolution>(shape, site.child(convolution))),
       register_module(norm, std::make_shared<BatchNorm>(shape.out_channels, site.child(norm)))});
}

at::Tensor ResidualBlock::forward(const at::Tensor& x) {
  const auto range = scope_.enter("ResidualBlock");
  at::Tensor out = x;
  for (std::size_t layer = 0; layer + 1 < layers_.size(); ++layer) out = layers_[layer].forward(out).relu_();
  out = layers_.back().forward(out);
  const at::Tensor shortcut = shortcut_.convolution ? shortcut_.forward(x) : x;
  out.add_(shortcut);
  return out.relu_();
}

}  // namespace strata::trainer
