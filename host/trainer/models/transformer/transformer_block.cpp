// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/transformer_block.hpp"

#include <utility>

namespace strata::trainer {

TransformerBlock::TransformerBlock(const ModelParts& parts, std::shared_ptr<const RotaryEmbedding> positions,
                                   const ModelSite& site)
    : scope_(site.scope), checkpoints_(parts.checkpoints) {
  const config::ModelConfig& config = parts.config;
  attention_ = register_module(
      "attn", std::make_shared<CausalSelfAttention>(parts, std::move(positions), site.child("attn")));
  feed_forward_ =
      register_module("ffn", std::make_shared<SwiGlu>(config.d_model, config.d_ff, site.child("ffn")));
  const auto norm = [&](const char* name) {
    return register_module(name,
                           std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon, site.child(name)));
  };
  attention_norm_ = norm("ln1");
  feed_forward_norm_ = norm("ln2");
}

at::Tensor TransformerBlock::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("TransformerBlock");
  const auto attend = [layer = attention_](const at::Tensor& normed) { return layer->forward(normed); };
  const auto feed_forward = [layer = feed_forward_](const at::Tensor& normed) {
    return layer->forward(normed);
  };
  const at::Tensor attended =
      x + checkpoints_.run_attention(attention_->scope(), attend, attention_norm_->forward(x));
  return attended + checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward,
                                                  feed_forward_norm_->forward(attended));
}

}  // namespace strata::trainer
