// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/llama/rotary_halves.hpp"

#include "host/trainer/models/layers/heads.hpp"

namespace strata::trainer {
namespace {

at::Tensor inverse_frequencies(std::int64_t features, double theta, const at::TensorOptions& options) {
  require_pairs(features);
  const at::Tensor exponents = at::arange(0, features, 2, options) / features;
  return 1.0 / at::pow(theta, exponents);
}

at::Tensor rotated_by_half(const at::Tensor& heads) {
  const std::int64_t half = heads.size(-1) / 2;
  return at::cat({-heads.narrow(-1, half, half), heads.narrow(-1, 0, half)}, -1);
}

}  // namespace

RotaryHalves::RotaryHalves(std::int64_t features, double theta, const ModelSite& site) {
  const at::ScalarType dtype = at::promote_types(site.tensors.dtype().toScalarType(), at::kFloat);
  inverse_frequencies_ =
      register_buffer("inv_freq", inverse_frequencies(features, theta, site.tensors.dtype(dtype)));
}

Turns RotaryHalves::forward(std::int64_t tokens, at::ScalarType dtype) const {
  const at::NoGradGuard no_gradients;
  const at::Tensor positions =
      at::arange(tokens, inverse_frequencies_.options().dtype(at::kLong)).unsqueeze(0).unsqueeze(-1);
  const at::Tensor angles = positions.to(inverse_frequencies_.scalar_type()) * inverse_frequencies_;
  const at::Tensor both_halves = at::cat({angles, angles}, -1);
  return {both_halves.cos().to(dtype), both_halves.sin().to(dtype)};
}

at::Tensor turn(const at::Tensor& heads, const Turns& turns) {
  return heads * turns.cos.unsqueeze(1) + rotated_by_half(heads) * turns.sin.unsqueeze(1);
}

}  // namespace strata::trainer
