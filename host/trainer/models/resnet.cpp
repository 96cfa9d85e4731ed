// SPDX-License-Identifier: Apache-2.0
// ResNet-18 and ResNet-50 (arXiv:1512.03385), with torchvision's operations and names: "conv1.weight",
// "layer1.0.bn2.bias", "layer2.0.downsample.0.weight", "fc.weight".
#include <torch/nn/modules/container/modulelist.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "host/trainer/models/families.hpp"
#include "host/trainer/models/layers/initial_weights.hpp"
#include "host/trainer/models/layers/linear.hpp"

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

// As torch.nn.Linear: uniform within 1 / sqrt(in_features), also the bias.
void draw_uniformly(torch::nn::Module& linear, std::int64_t in_features) {
  const at::NoGradGuard no_gradients;
  const double bound = 1.0 / std::sqrt(static_cast<double>(in_features));
  for (at::Tensor& parameter : linear.parameters()) {
    if (!parameter.is_meta()) parameter.uniform_(-bound, bound);
  }
}

}  // namespace

// A convolution without bias, as torch.nn.Conv2d.
class Convolution : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in_channels;
    std::int64_t out_channels;
    std::int64_t kernel;  // side in pixels; padded so that a stride of 1 preserves the size
    std::int64_t stride = 1;
  };

  // `weight` [out, in, kernel, kernel] from a normal distribution of variance 2 / (out kernel^2).
  Convolution(const Shape& shape, const ModelSite& site) : shape_(shape), scope_(site.scope) {
    const std::int64_t fan_out = shape.out_channels * shape.kernel * shape.kernel;
    weight_ = register_parameter("weight",
                                 normal({shape.out_channels, shape.in_channels, shape.kernel, shape.kernel},
                                        std::sqrt(2.0 / static_cast<double>(fan_out)), site.tensors));
  }

  // [batch, in, height, width] to [batch, out, height / stride, width / stride].
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("Convolution");
    return at::conv2d(x, weight_, /*bias=*/std::nullopt, shape_.stride, /*padding=*/shape_.kernel / 2);
  }

 private:
  Shape shape_;
  ModuleScope scope_;
  at::Tensor weight_;
};

// Batch normalisation of images (arXiv:1502.03167) in training, as torch.nn.BatchNorm2d.
class BatchNorm : public torch::nn::Module {
 public:
  // `weight` and `bias` [channels], ones and zeros; buffers: the running mean and variance, and how many
  // batches they saw.
  BatchNorm(std::int64_t channels, const ModelSite& site)
      : scope_(site.scope),
        weight_(register_parameter("weight", at::ones({channels}, site.tensors))),
        bias_(register_parameter("bias", at::zeros({channels}, site.tensors))),
        running_mean_(register_buffer("running_mean", at::zeros({channels}, site.tensors))),
        running_variance_(register_buffer("running_var", at::ones({channels}, site.tensors))),
        batches_seen_(register_buffer("num_batches_tracked", at::zeros({}, site.tensors.dtype(at::kLong)))) {}

  // [batch, channels, height, width] to the same shape, by the batch's own mean and variance.
  at::Tensor forward(const at::Tensor& x) {
    const auto range = scope_.enter("BatchNorm");
    batches_seen_.add_(1);
    return at::batch_norm(x, weight_, bias_, running_mean_, running_variance_, /*training=*/true,
                          /*momentum=*/0.1, /*eps=*/1e-5, at::globalContext().userEnabledCuDNN());
  }

 private:
  ModuleScope scope_;
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor running_mean_;
  at::Tensor running_variance_;
  at::Tensor batches_seen_;
};

// Convolutions, with their input added to the output.
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
  ResidualBlock(const Shape& shape, const ModelSite& site) : scope_(site.scope) {
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
    shortcut_ = {std::make_shared<Convolution>(
                     Convolution::Shape{shape.in_channels, shape.out_channels(), 1, shape.stride},
                     shortcut.child("0")),
                 std::make_shared<BatchNorm>(shape.out_channels(), shortcut.child("1"))};
    downsample->push_back(shortcut_.convolution);
    downsample->push_back(shortcut_.norm);
  }

  // [batch, in_channels, height, width] to [batch, out_channels, height / stride, width / stride].
  at::Tensor forward(const at::Tensor& x) {
    const auto range = scope_.enter("ResidualBlock");
    at::Tensor out = x;
    for (std::size_t layer = 0; layer + 1 < layers_.size(); ++layer)
      out = layers_[layer].forward(out).relu_();
    out = layers_.back().forward(out);
    const at::Tensor shortcut = shortcut_.convolution ? shortcut_.forward(x) : x;
    out.add_(shortcut);
    return out.relu_();
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  // A convolution and the normalisation of its output.
  struct Layer {
    std::shared_ptr<Convolution> convolution;
    std::shared_ptr<BatchNorm> norm;

    at::Tensor forward(const at::Tensor& x) const { return norm->forward(convolution->forward(x)); }
  };

  void add_layer(const Convolution::Shape& shape, const ModelSite& site) {
    const std::string number = std::to_string(layers_.size() + 1);
    const std::string convolution = "conv" + number;
    const std::string norm = "bn" + number;
    layers_.push_back(
        {register_module(convolution, std::make_shared<Convolution>(shape, site.child(convolution))),
         register_module(norm, std::make_shared<BatchNorm>(shape.out_channels, site.child(norm)))});
  }

  ModuleScope scope_;
  std::vector<Layer> layers_;
  Layer shortcut_;  // empty where the input is added as it is
};

class ResNet : public Model {
 public:
  ResNet(const ModelParts& parts, const ModelSite& root)
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

  // [batch, 3, height, width] to logits [batch, classes].
  at::Tensor forward(const at::Tensor& images) override {
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

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<Convolution> stem_;
  std::shared_ptr<BatchNorm> stem_norm_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  std::shared_ptr<Linear> classifier_;
};

std::shared_ptr<Model> make_resnet(const ModelParts& parts, const ModelSite& root) {
  return std::make_shared<ResNet>(parts, root);
}

}  // namespace strata::trainer
