// SPDX-License-Identifier: Apache-2.0
// ResNet-18 and ResNet-50 (arXiv:1512.03385), with torchvision's operations and names: "conv1.weight",
// "layer1.0.bn2.bias", "layer2.0.downsample.0.weight", "fc.weight".
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/models/layers/linear.hpp"
#include "host/trainer/models/model.hpp"
#include "host/trainer/models/resnet/residual_block.hpp"

namespace strata::trainer {

class ResNet : public Model {
 public:
  ResNet(const ModelParts& parts, const ModelSite& root);

  // [batch, 3, height, width] to logits [batch, classes].
  at::Tensor forward(const at::Tensor& images) override;

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<Convolution> stem_;
  std::shared_ptr<BatchNorm> stem_norm_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  std::shared_ptr<Linear> classifier_;
};

}  // namespace strata::trainer
