// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/norms.hpp"

namespace strata::trainer {

LayerNorm::LayerNorm(std::int64_t features, double epsilon, bool bias, const ModelSite& site)
    : epsilon_(epsilon),
      scope_(site.scope),
      weight_(register_parameter("weight", at::ones({features}, site.tensors))) {
  if (bias) bias_ = register_parameter("bias", at::zeros({features}, site.tensors));
}

at::Tensor LayerNorm::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("LayerNorm");
  return at::layer_norm(x, weight_.sizes(), weight_, bias_.defined() ? std::optional(bias_) : std::nullopt,
                        epsilon_);
}

RmsNorm::RmsNorm(std::int64_t features, double epsilon, Rounding rounding, const ModelSite& site)
    : epsilon_(epsilon),
      rounding_(rounding),
      scope_(site.scope),
      weight_(register_parameter("weight", at::ones({features}, site.tensors))) {}

at::Tensor RmsNorm::forward(const at::Tensor& x) const {
  const auto range = scope_.enter(rounding_ == Rounding::kAfterWeight ? "RmsNorm" : "LlamaRmsNorm");
  at::Tensor hidden = x.to(at::promote_types(x.scalar_type(), at::kFloat));
  if (rounding_ == Rounding::kAfterWeight) {
    const at::Tensor inverse_rms = at::rsqrt(hidden.pow(2).mean({-1}, /*keepdim=*/true) + epsilon_);
    return (weight_ * (hidden * inverse_rms)).to(x.scalar_type());
  }
  // The same statements as in transformers, so that each tensor is freed at the same point.
  const at::Tensor variance = hidden.pow(2).mean({-1}, /*keepdim=*/true);
  hidden = hidden * at::rsqrt(variance + epsilon_);
  return weight_ * hidden.to(x.scalar_type());
}

}  // namespace strata::trainer
