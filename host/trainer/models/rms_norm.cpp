#include "host/trainer/models/rms_norm.hpp"

#include <utility>

namespace strata::trainer {

RmsNorm::RmsNorm(std::int64_t features, double epsilon, ModuleScope scope, at::Device device)
    : epsilon_(epsilon),
      scope_(std::move(scope)),
      weight_(
          register_parameter("weight", at::ones({features}, at::TensorOptions(at::kFloat).device(device)))) {}

at::Tensor RmsNorm::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("RmsNorm");
  const at::Tensor upcast = x.to(at::kFloat);
  const at::Tensor inverse_rms = at::rsqrt(upcast.pow(2).mean({-1}, /*keepdim=*/true) + epsilon_);
  return (weight_ * (upcast * inverse_rms)).to(x.scalar_type());
}

}  // namespace strata::trainer
