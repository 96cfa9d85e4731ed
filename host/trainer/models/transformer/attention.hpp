// SPDX-License-Identifier: Apache-2.0
// Causal multi-head self-attention with rotary position embedding.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/model.hpp"
#include "host/trainer/models/transformer/einsum_linear.hpp"
#include "host/trainer/models/transformer/rotary_embedding.hpp"

namespace strata::trainer {

// softmax(q k^T / sqrt(features) + causal mask) v, nothing fused: the scores of all pairs of tokens are
// materialised. All [batch, heads, tokens, features].
at::Tensor naive_causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

class CausalSelfAttention : public torch::nn::Module {
 public:
  // `positions` turns queries and keys; all layers share it, so it is registered by the model and not here.
  CausalSelfAttention(const ModelParts& parts, std::shared_ptr<const RotaryEmbedding> positions,
                      const ModelSite& site);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  at::Tensor split_heads(const at::Tensor& x) const;

  std::int64_t heads_;
  bool is_naive_;
  std::shared_ptr<const RotaryEmbedding> positions_;
  ModuleScope scope_;
  std::shared_ptr<EinsumLinear> query_projection_;
  std::shared_ptr<EinsumLinear> key_projection_;
  std::shared_ptr<EinsumLinear> value_projection_;
  std::shared_ptr<EinsumLinear> output_projection_;
};

}  // namespace strata::trainer
