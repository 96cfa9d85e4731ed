// SPDX-License-Identifier: Apache-2.0
// Common parts of the attention layers of several models.
#pragma once

#include <ATen/core/Tensor.h>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// [batch, tokens, heads * features] to [batch, heads, tokens, features], a view.
at::Tensor split_heads(const at::Tensor& x, std::int64_t features);

// For rotary embedding, which rotates pairs of features. Throws std::invalid_argument with the keys if
// `features` is odd.
void require_pairs(std::int64_t features);

// The mask added to scores [batch, heads, tokens, tokens] so that no token attends to a later one: 0 where
// allowed, the dtype's lowest number elsewhere. For `embedded` [batch, tokens, features], with its dtype and
// device: [batch, 1, tokens, tokens], equal for the whole batch, as in transformers.
at::Tensor causal_mask(const at::Tensor& embedded);

// The number format of the softmax in naive attention.
enum class SoftmaxType {
  kFloat,    // at least float32
  kOfScores  // the dtype of the scores
};

// Computes a decoder's attention from its queries, keys and values.
class CausalAttention {
 public:
  // `dropout` of the attention weights.
  CausalAttention(config::Attention kind, double dropout, SoftmaxType softmax = SoftmaxType::kFloat)
      : kind_(kind), dropout_(dropout), softmax_(softmax) {}

  // Whether `forward` reads a mask. Otherwise its kernel is causal itself.
  bool needs_mask() const { return kind_ == config::Attention::kNaive; }

  // softmax(q k^T / sqrt(features) + mask) v. `query` [batch, heads, tokens, features], `key` and `value`
  // with as many heads or a divisor; returns [batch, tokens, heads * features]. Naive attention is computed
  // as in transformers' eager attention, one operation after the other.
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const at::Tensor& mask) const;

 private:
  at::Tensor naive(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                   const at::Tensor& mask) const;

  config::Attention kind_;
  double dropout_;
  SoftmaxType softmax_;
};

}  // namespace strata::trainer
