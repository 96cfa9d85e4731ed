// SPDX-License-Identifier: Apache-2.0
// One pre-norm layer of GPT-2: x + attn(ln_1(x)), and of that, h + mlp(ln_2(h)).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/gpt2/gpt2_attention.hpp"
#include "host/trainer/models/gpt2/gpt2_mlp.hpp"
#include "host/trainer/models/layers/layer_norm.hpp"

namespace strata::trainer {

class Gpt2Block : public torch::nn::Module {
 public:
  Gpt2Block(const ModelParts& parts, const ModelSite& site);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<LayerNorm> attention_norm_;
  std::shared_ptr<Gpt2Attention> attention_;
  std::shared_ptr<LayerNorm> feed_forward_norm_;
  std::shared_ptr<Gpt2Mlp> feed_forward_;
};

}  // namespace strata::trainer
