// SPDX-License-Identifier: Apache-2.0
// One pre-norm layer of LLaMA: x + self_attn(input_layernorm(x)), and of that, h + mlp(norm(h)).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/llama/llama_attention.hpp"
#include "host/trainer/models/llama/llama_mlp.hpp"
#include "host/trainer/models/llama/llama_rms_norm.hpp"

namespace strata::trainer {

class LlamaBlock : public torch::nn::Module {
 public:
  LlamaBlock(const ModelParts& parts, const ModelSite& site);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x, const DecoderInputs& inputs) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<LlamaRmsNorm> attention_norm_;
  std::shared_ptr<LlamaAttention> attention_;
  std::shared_ptr<LlamaRmsNorm> feed_forward_norm_;
  std::shared_ptr<LlamaMlp> feed_forward_;
};

}  // namespace strata::trainer
