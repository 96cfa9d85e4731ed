// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/llama/llama_rms_norm.hpp"

namespace strata::trainer {

LlamaRmsNorm::LlamaRmsNorm(std::int64_t features, double epsilon, const ModelSite& site)
    : epsilon_(epsilon),
      scope_(site.scope),
      weight_(register_parameter("weight", at::ones({features}, site.tensors))) {}

at::Tensor LlamaRmsNorm::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("LlamaRmsNorm");
  at::Tensor hidden = x.to(at::promote_types(x.scalar_type(), at::kFloat));
  const at::Tensor variance = hidden.pow(2).mean({-1}, /*keepdim=*/true);
  hidden = hidden * at::rsqrt(variance + epsilon_);
  return weight_ * hidden.to(x.scalar_type());
}

}  // namespace strata::trainer
