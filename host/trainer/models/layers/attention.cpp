// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/attention.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace strata::trainer {
namespace {

// Each head of keys or values as often as queries share it; itself where they do not.
at::Tensor repeated(const at::Tensor& heads, std::int64_t times) {
  if (times == 1) return heads;
  return heads.unsqueeze(2).expand({-1, -1, times, -1, -1}).flatten(1, 2);
}

double lowest(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
      return std::numeric_limits<double>::lowest();
    case at::kBFloat16:
      return std::numeric_limits<at::BFloat16>::lowest();
    case at::kHalf:
      return std::numeric_limits<at::Half>::lowest();
    default:
      return std::numeric_limits<float>::lowest();
  }
}

}  // namespace

at::Tensor split_heads(const at::Tensor& x, std::int64_t features) {
  return x.unflatten(-1, {-1, features}).transpose(1, 2);
}

void require_pairs(std::int64_t features) {
  if (features % 2 == 0) return;
  throw std::invalid_argument(fmt::format(
      "rotary embedding rotates pairs of features, but a head has {} features. Choose model.d_model and "
      "model.heads so that d_model / heads is even.",
      features));
}

at::Tensor causal_mask(const at::Tensor& embedded) {
  const std::int64_t tokens = embedded.size(1);
  const at::TensorOptions options = embedded.options();
  const at::Tensor position = at::arange(tokens, options.dtype(at::kLong));
  const at::Tensor visible = position.unsqueeze(1) >= position.unsqueeze(0);
  return at::where(visible.expand({embedded.size(0), 1, tokens, tokens}), at::zeros({}, options),
                   at::full({}, lowest(embedded.scalar_type()), options));
}

at::Tensor CausalAttention::forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                    const at::Tensor& mask) const {
  const at::Tensor attended =
      needs_mask() ? naive(query, key, value, mask)
                   : at::scaled_dot_product_attention(query, key, value, std::nullopt, dropout_,
                                                      /*is_causal=*/true, std::nullopt,
                                                      /*enable_gqa=*/key.size(1) != query.size(1));
  return attended.transpose(1, 2).flatten(2).contiguous();
}

at::Tensor CausalAttention::naive(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                  const at::Tensor& mask) const {
  const std::int64_t shared_by = query.size(1) / key.size(1);
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  at::Tensor scores = at::matmul(query, repeated(key, shared_by).transpose(-2, -1)) * scale;
  scores = scores + mask;
  std::optional<at::ScalarType> softmax_dtype;
  if (softmax_ == SoftmaxType::kFloat) softmax_dtype = at::promote_types(query.scalar_type(), at::kFloat);
  at::Tensor weights = at::softmax(scores, -1, softmax_dtype).to(query.scalar_type());
  weights = at::dropout(weights, dropout_, /*train=*/true);
  return at::matmul(weights, repeated(value, shared_by));
}

}  // namespace strata::trainer
