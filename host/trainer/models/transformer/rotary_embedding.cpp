// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/rotary_embedding.hpp"

#include "host/trainer/models/layers/heads.hpp"

namespace strata::trainer {

namespace {

at::Tensor cos_sin_table(std::int64_t context, std::int64_t features, double theta, at::ScalarType dtype) {
  require_pairs(features);
  const at::Tensor exponents = at::arange(0, features, 2, dtype) / features;
  const at::Tensor frequencies = at::pow(theta, -exponents);
  const at::Tensor angles = at::outer(at::arange(context, dtype), frequencies);
  return at::stack({angles.cos(), angles.sin()});
}

}  // namespace

RotaryEmbedding::RotaryEmbedding(std::int64_t context, std::int64_t features, double theta,
                                 const at::TensorOptions& options) {
  const at::ScalarType dtype = at::promote_types(options.dtype().toScalarType(), at::kFloat);
  cos_sin_ = register_buffer("cos_sin", cos_sin_table(context, features, theta, dtype).to(options));
}

at::Tensor RotaryEmbedding::forward(const at::Tensor& x) const {
  const std::int64_t tokens = x.size(-2);
  const at::Tensor cos = cos_sin_.select(0, 0).narrow(0, 0, tokens);
  const at::Tensor sin = cos_sin_.select(0, 1).narrow(0, 0, tokens);
  const at::Tensor pairs = x.unflatten(-1, {-1, 2});
  const at::Tensor even = pairs.select(-1, 0);
  const at::Tensor odd = pairs.select(-1, 1);
  return at::stack({cos * even - sin * odd, sin * even + cos * odd}, -1).flatten(-2);
}

}  // namespace strata::trainer
