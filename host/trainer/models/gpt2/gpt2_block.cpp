// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/gpt2/gpt2_block.hpp"

namespace strata::trainer {

Gpt2Block::Gpt2Block(const ModelParts& parts, const ModelSite& site)
    : scope_(site.scope), checkpoints_(parts.checkpoints) {
  const config::ModelConfig& config = parts.config;
  const auto norm = [&](const char* name) {
    return register_module(name, std::make_shared<LayerNorm>(config.d_model, config.norm_epsilon, config.bias,
                                                             site.child(name)));
  };
  attention_norm_ = norm("ln_1");
  attention_ = register_module("attn", std::make_shared<Gpt2Attention>(parts, site.child("attn")));
  feed_forward_norm_ = norm("ln_2");
  feed_forward_ = register_module("mlp", std::make_shared<Gpt2Mlp>(parts, site.child("mlp")));
}

at::Tensor Gpt2Block::forward(const at::Tensor& x, const at::Tensor& mask) const {
  const auto range = scope_.enter("Gpt2Block");
  const auto attend = [attention = attention_, mask](const at::Tensor& normed) {
    return attention->forward(normed, mask);
  };
  const auto feed_forward = [layer = feed_forward_](const at::Tensor& normed) {
    return layer->forward(normed);
  };
  const at::Tensor attended =
      checkpoints_.run_attention(attention_->scope(), attend, attention_norm_->forward(x), {{"mask", mask}}) +
      x;
  return attended + checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward,
                                                  feed_forward_norm_->forward(attended));
}

}  // namespace strata::trainer
