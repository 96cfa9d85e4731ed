// SPDX-License-Identifier: Apache-2.0
// One pre-norm layer: x + attn(ln1(x)), and of that, h + ffn(ln2(h)).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/transformer/attention.hpp"
#include "host/trainer/models/transformer/rms_norm.hpp"
#include "host/trainer/models/transformer/swiglu.hpp"

namespace strata::trainer {

class TransformerBlock : public torch::nn::Module {
 public:
  TransformerBlock(const ModelParts& parts, std::shared_ptr<const RotaryEmbedding> positions,
                   const ModelSite& site);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<CausalSelfAttention> attention_;
  std::shared_ptr<SwiGlu> feed_forward_;
  std::shared_ptr<RmsNorm> attention_norm_;
  std::shared_ptr<RmsNorm> feed_forward_norm_;
};

}  // namespace strata::trainer
