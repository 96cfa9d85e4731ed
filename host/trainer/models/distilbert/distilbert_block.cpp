// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/distilbert/distilbert_block.hpp"

#include "host/trainer/models/distilbert/distilbert.hpp"

namespace strata::trainer {

DistilBertFeedForward::DistilBertFeedForward(const config::ModelConfig& config, const ModelSite& site)
    : dropout_(config.dropout), scope_(site.scope) {
  const auto layer = [&](const char* name, std::int64_t from, std::int64_t to) {
    return register_module(name, std::make_shared<Linear>(Linear::Shape{from, to, /*bias=*/true},
                                                          kDistilBertInitialDeviation, site.child(name)));
  };
  expansion_ = layer("lin1", config.d_model, config.d_ff);
  contraction_ = layer("lin2", config.d_ff, config.d_model);
}

at::Tensor DistilBertFeedForward::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("DistilBertFeedForward");
  return at::dropout(contraction_->forward(at::gelu(expansion_->forward(x))), dropout_, /*train=*/true);
}

DistilBertBlock::DistilBertBlock(const ModelParts& parts, const ModelSite& site)
    : scope_(site.scope), checkpoints_(parts.checkpoints) {
  const config::ModelConfig& config = parts.config;
  const auto norm = [&](const char* name) {
    return register_module(name, std::make_shared<LayerNorm>(config.d_model, config.norm_epsilon,
                                                             /*bias=*/true, site.child(name)));
  };
  attention_ =
      register_module("attention", std::make_shared<DistilBertAttention>(parts, site.child("attention")));
  attention_norm_ = norm("sa_layer_norm");
  feed_forward_ = register_module("ffn", std::make_shared<DistilBertFeedForward>(config, site.child("ffn")));
  output_norm_ = norm("output_layer_norm");
}

at::Tensor DistilBertBlock::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("DistilBertBlock");
  const auto attend = [layer = attention_](const at::Tensor& h) { return layer->forward(h); };
  const auto feed_forward = [layer = feed_forward_](const at::Tensor& h) { return layer->forward(h); };
  const at::Tensor attended =
      attention_norm_->forward(checkpoints_.run_attention(attention_->scope(), attend, x) + x);
  return output_norm_->forward(checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward, attended) +
                               attended);
}

}  // namespace strata::trainer
