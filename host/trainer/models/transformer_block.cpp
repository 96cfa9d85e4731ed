#include "host/trainer/models/transformer_block.hpp"

#include <utility>

namespace strata::trainer {

TransformerBlock::TransformerBlock(const config::ModelConfig& config,
                                   std::shared_ptr<const RotaryEmbedding> positions, ModuleScope scope,
                                   at::Device device)
    : scope_(std::move(scope)) {
  attention_ = register_module(
      "attn", std::make_shared<CausalSelfAttention>(config.d_model, config.heads, std::move(positions),
                                                    scope_.child("attn"), device));
  feed_forward_ = register_module(
      "ffn", std::make_shared<SwiGlu>(config.d_model, config.d_ff, scope_.child("ffn"), device));
  const auto norm = [&](const char* name) {
    return register_module(
        name, std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon, scope_.child(name), device));
  };
  attention_norm_ = norm("ln1");
  feed_forward_norm_ = norm("ln2");
}

at::Tensor TransformerBlock::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("TransformerBlock");
  const at::Tensor attended = x + attention_->forward(attention_norm_->forward(x));
  return attended + feed_forward_->forward(feed_forward_norm_->forward(attended));
}

}  // namespace strata::trainer
