// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/layer_norm.hpp"

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

}  // namespace strata::trainer
