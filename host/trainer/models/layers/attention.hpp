// SPDX-License-Identifier: Apache-2.0
// What the attention layers of several models share.
#pragma once

#include <ATen/core/Tensor.h>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// [batch, tokens, heads * features] to [batch, heads, tokens, features], a view.
at::Tensor split_heads(const at::Tensor& x, std::int64_t features);

// For rotary embedding, which turns pairs of features. Throws std::invalid_argument when `features` is odd,
// with the keys.
void require_pairs(std::int64_t features);

// What is added to scores [batch, heads, tokens, tokens] so that no token sees a later one: 0 where it may
// look, the dtype's lowest number elsewhere. For `embedded` [batch, tokens, features], of its dtype and on
// its device: [batch, 1, tokens, tokens], the same for each of the batch, as transformers makes it.
at::Tensor causal_mask(const at::Tensor& embedded);

// What naive attention's softmax computes in.
enum class SoftmaxType {
  kFloat,    // in at least float32
  kOfScores  // in the scores' own dtype
};

// What a decoder's attention computes from its queries, keys and values.
class CausalAttention {
 public:
  // `dropout` of the attention weights.
  CausalAttention(config::Attention kind, double dropout, SoftmaxType softmax = SoftmaxType::kFloat)
      : kind_(kind), dropout_(dropout), softmax_(softmax) {}

  // Whether `forward` reads a mask. Otherwise its kernel knows what is causal.
  bool needs_mask() const { return kind_ == config::Attention::kNaive; }

  // softmax(q k^T / sqrt(features) + mask) v. `query` [batch, heads, tokens, features], `key` and `value` of
  // as many heads or of a divisor of that; to [batch, tokens, heads * features]. Naive as transformers' eager
  // attention, one operation after the other.
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
