// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/llama/llama_block.hpp"

namespace strata::trainer {

// Registered in the order of use, which is the order that hash_fill.hpp counts in.
LlamaBlock::LlamaBlock(const ModelParts& parts, const ModelSite& site)
    : scope_(site.scope), checkpoints_(parts.checkpoints) {
  const config::ModelConfig& config = parts.config;
  const auto norm = [&](const char* name) {
    return register_module(
        name, std::make_shared<LlamaRmsNorm>(config.d_model, config.norm_epsilon, site.child(name)));
  };
  attention_norm_ = norm("input_layernorm");
  attention_ = register_module("self_attn", std::make_shared<LlamaAttention>(parts, site.child("self_attn")));
  feed_forward_norm_ = norm("post_attention_layernorm");
  feed_forward_ = register_module("mlp", std::make_shared<LlamaMlp>(parts, site.child("mlp")));
}

at::Tensor LlamaBlock::forward(const at::Tensor& x, const DecoderInputs& inputs) const {
  const auto range = scope_.enter("LlamaBlock");
  const auto attend = [attention = attention_, inputs](const at::Tensor& normed) {
    return attention->forward(normed, inputs);
  };
  const auto feed_forward = [layer = feed_forward_](const at::Tensor& normed) {
    return layer->forward(normed);
  };
  const at::Tensor attended = x + checkpoints_.run_attention(attention_->scope(), attend,
                                                             attention_norm_->forward(x), inputs.tensors());
  return attended + checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward,
                                                  feed_forward_norm_->forward(attended));
}

}  // namespace strata::trainer
