// Causal multi-head self-attention with rotary position embedding, and nothing fused: the scores of all pairs
// of tokens are materialised.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/linear.hpp"
#include "host/trainer/models/module_scope.hpp"
#include "host/trainer/models/rotary_embedding.hpp"

namespace strata::trainer {

// softmax(q k^T / sqrt(features) + causal mask) v. All [batch, heads, tokens, features].
at::Tensor naive_causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

class CausalSelfAttention : public torch::nn::Module {
 public:
  // `heads` divides `d_model`. `positions` turns queries and keys; all layers share it, so it is registered
  // by the model and not here.
  CausalSelfAttention(std::int64_t d_model, std::int64_t heads,
                      std::shared_ptr<const RotaryEmbedding> positions, ModuleScope scope, at::Device device);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor split_heads(const at::Tensor& x) const;

  std::int64_t heads_;
  std::shared_ptr<const RotaryEmbedding> positions_;
  ModuleScope scope_;
  std::shared_ptr<Linear> query_projection_;
  std::shared_ptr<Linear> key_projection_;
  std::shared_ptr<Linear> value_projection_;
  std::shared_ptr<Linear> output_projection_;
};

}  // namespace strata::trainer
