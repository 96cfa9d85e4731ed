// SPDX-License-Identifier: Apache-2.0
// One post-norm layer of DistilBERT: norm(x + attention(x)), and of that, norm(h + ffn(h)).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/distilbert/distilbert_attention.hpp"
#include "host/trainer/models/layers/layer_norm.hpp"

namespace strata::trainer {

// lin2(gelu(lin1(x))), with dropout.
class DistilBertFeedForward : public torch::nn::Module {
 public:
  DistilBertFeedForward(const config::ModelConfig& config, const ModelSite& site);

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<Linear> expansion_;
  std::shared_ptr<Linear> contraction_;
};

class DistilBertBlock : public torch::nn::Module {
 public:
  DistilBertBlock(const ModelParts& parts, const ModelSite& site);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<DistilBertAttention> attention_;
  std::shared_ptr<LayerNorm> attention_norm_;
  std::shared_ptr<DistilBertFeedForward> feed_forward_;
  std::shared_ptr<LayerNorm> output_norm_;
};

}  // namespace strata::trainer
