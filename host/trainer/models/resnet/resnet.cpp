// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/resnet/resnet.hpp"

#include <array>
#include <cmath>
#include <string>

namespace strata::trainer {
namespace {

constexpr std::int64_t kStemChannels = 64;

struct Stage {
  std::int64_t width;
  std::int64_t blocks;
  std::int64_t stride;  // of its first block
};

using Stages = std::array<Stage, 4>;
constexpr Stages kStages18{Stage{64, 2, 1}, Stage{128, 2, 2}, Stage{256, 2, 2}, Stage{512, 2, 2}};
constexpr Stages kStages50{Stage{64, 3, 1}, Stage{128, 4, 2}, Stage{256, 6, 2}, Stage{512, 3, 2}};

// torch.nn.Linear's: uniform within 1 / sqrt(in_features), the bias too.
void draw_uniformly(torch::nn::Module& linear, std::int64_t in_features) {
  const at::NoGradGuard no_gradients;
  const double bound = 1.0 / std::sqrt(static_cast<double>(in_features));
  for (at::Tensor& parameter : linear.parameters()) {
    if (!parameter.is_meta()) parameter.uniform_(-bound, bound);
  }
}

}  // namespace

ResNet::ResNet(const ModelParts& parts, const ModelSite& root)
    : scope_(root.scope), checkpoints_(parts.checkpoints) {
  stem_ = register_module("conv1", std::make_shared<Convolution>(Convolution::Shape{3, kStemChannels, 7, 2},
                                                                 root.child("conv1")));
  stem_norm_ = register_module("bn1", std::make_shared<BatchNorm>(kStemChannels, root.child("bn1")));

  const bool is_50 = parts.config.name == config::Architecture::kResnet50;
  std::int64_t channels = kStemChannels;
  std::int64_t number = 0;
  for (const Stage& stage : is_50 ? kStages50 : kStages18) {
    const std::string name = "layer" + std::to_string(++number);
    torch::nn::ModuleList list = register_module(name, torch::nn::ModuleList());
    for (std::int64_t block = 0; block < stage.blocks; ++block) {
      const ResidualBlock::Shape shape{channels, stage.width, block == 0 ? stage.stride : 1, is_50};
      blocks_.push_back(
          std::make_shared<ResidualBlock>(shape, root.child(name).child(std::to_string(block))));
      list->push_back(blocks_.back());
      channels = shape.out_channels();
    }
  }
  classifier_ = register_module(
      "fc", std::make_shared<Linear>(Linear::Shape{channels, parts.config.classes, /*bias=*/true},
                                     /*standard_deviation=*/0.0, root.child("fc")));
  draw_uniformly(*classifier_, channels);
}

at::Tensor ResNet::forward(const at::Tensor& images) {
  const auto range = scope_.enter("ResNet");
  at::Tensor x = stem_norm_->forward(stem_->forward(images)).relu_();
  x = at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
  for (std::size_t number = 0; number < blocks_.size(); ++number) {
    x = checkpoints_.run_block(
        number, blocks_[number]->scope(),
        [block = blocks_[number]](const at::Tensor& h) { return block->forward(h); }, x);
  }
  return classifier_->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
}

}  // namespace strata::trainer
