// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/attention.hpp"

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace strata::trainer {

namespace {

// Spelt out, as the course has it: at::softmax keeps one tensor of this size for backward, this keeps two.
at::Tensor softmax(const at::Tensor& x) {
  const at::Tensor exponentials = at::exp(x - std::get<0>(at::max(x, -1, /*keepdim=*/true)));
  return exponentials / exponentials.sum(-1, /*keepdim=*/true);
}

}  // namespace

at::Tensor naive_causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const double scale = std::sqrt(static_cast<double>(key.size(-1)));
  at::Tensor scores = at::einsum("...qd,...kd->...qk", {query, key}) / scale;

  const at::Tensor position = at::arange(query.size(-2), query.options().dtype(at::kLong));
  const at::Tensor visible = position.unsqueeze(1) >= position.unsqueeze(0);
  scores = at::where(visible, scores, -std::numeric_limits<double>::infinity());

  const at::Tensor weights = softmax(scores);
  return at::einsum("...qk,...kd->...qd", {weights, value});
}

CausalSelfAttention::CausalSelfAttention(const ModelParts& parts,
                                         std::shared_ptr<const RotaryEmbedding> positions,
                                         const ModelSite& site)
    : heads_(parts.config.heads),
      is_naive_(parts.attention == config::Attention::kNaive),
      positions_(std::move(positions)),
      scope_(site.scope) {
  const std::int64_t d_model = parts.config.d_model;
  const auto projection = [&](const char* name) {
    return register_module(name, std::make_shared<EinsumLinear>(d_model, d_model, site));
  };
  query_projection_ = projection("q_proj");
  key_projection_ = projection("k_proj");
  value_projection_ = projection("v_proj");
  output_projection_ = projection("output_proj");
}

at::Tensor CausalSelfAttention::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("CausalSelfAttention");
  at::Tensor query = split_heads(query_projection_->forward(x));
  at::Tensor key = split_heads(key_projection_->forward(x));
  const at::Tensor value = split_heads(value_projection_->forward(x));
  query = positions_->forward(query);
  key = positions_->forward(key);
  const at::Tensor attended = is_naive_ ? naive_causal_attention(query, key, value)
                                        : at::scaled_dot_product_attention(query, key, value, std::nullopt,
                                                                           /*dropout_p=*/0.0,
                                                                           /*is_causal=*/true);
  return output_projection_->forward(attended.transpose(1, 2).flatten(-2));
}

at::Tensor CausalSelfAttention::split_heads(const at::Tensor& x) const {
  return x.unflatten(-1, {heads_, -1}).transpose(1, 2);
}

}  // namespace strata::trainer
