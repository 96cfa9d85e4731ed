// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/rms_norm.hpp"

namespace strata::trainer {

RmsNorm::RmsNorm(std::int64_t features, double epsilon, const ModelSite& site)
    : epsilon_(epsilon),
      scope_(site.scope),
      weight_(register_parameter("weight", at::ones({features}, site.tensors))) {}

at::Tensor RmsNorm::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("RmsNorm");
  const at::Tensor upcast = x.to(at::promote_types(x.scalar_type(), at::kFloat));
  const at::Tensor inverse_rms = at::rsqrt(upcast.pow(2).mean({-1}, /*keepdim=*/true) + epsilon_);
  return (weight_ * (upcast * inverse_rms)).to(x.scalar_type());
}

}  // namespace strata::trainer
