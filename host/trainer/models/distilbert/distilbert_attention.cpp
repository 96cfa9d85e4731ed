// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/distilbert/distilbert_attention.hpp"

#include <cmath>

#include "host/trainer/models/distilbert/distilbert.hpp"
#include "host/trainer/models/layers/heads.hpp"

namespace strata::trainer {

DistilBertAttention::DistilBertAttention(const ModelParts& parts, const ModelSite& site)
    : features_(features_of_head(parts.config)),
      is_naive_(parts.attention == config::Attention::kNaive),
      dropout_(parts.config.dropout),
      scope_(site.scope) {
  const std::int64_t d_model = parts.config.d_model;
  const auto projection = [&](const char* name) {
    return register_module(name, std::make_shared<Linear>(Linear::Shape{d_model, d_model, /*bias=*/true},
                                                          kDistilBertInitialDeviation, site.child(name)));
  };
  query_projection_ = projection("q_lin");
  key_projection_ = projection("k_lin");
  value_projection_ = projection("v_lin");
  output_projection_ = projection("out_lin");
}

at::Tensor DistilBertAttention::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("DistilBertAttention");
  const at::Tensor query = split_heads(query_projection_->forward(x), features_);
  const at::Tensor key = split_heads(key_projection_->forward(x), features_);
  const at::Tensor value = split_heads(value_projection_->forward(x), features_);
  const at::Tensor attended = attend(query, key, value).transpose(1, 2).contiguous();
  return output_projection_->forward(attended.flatten(2));
}

// Naive as transformers' eager attention.
at::Tensor DistilBertAttention::attend(const at::Tensor& query, const at::Tensor& key,
                                       const at::Tensor& value) const {
  if (!is_naive_) return at::scaled_dot_product_attention(query, key, value, std::nullopt, dropout_);
  const double scale = 1.0 / std::sqrt(static_cast<double>(features_));
  at::Tensor weights = at::softmax(at::matmul(query, key.transpose(2, 3)) * scale, -1);
  weights = at::dropout(weights, dropout_, /*train=*/true);
  return at::matmul(weights, value);
}

}  // namespace strata::trainer
