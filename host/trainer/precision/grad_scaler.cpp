// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/precision/grad_scaler.hpp"

#include <ATen/ATen.h>

namespace strata::trainer {

GradScaler::GradScaler(const config::GradScalerConfig& config, at::Device device)
    : config_(config), options_(at::TensorOptions(at::kFloat).device(device)) {}

at::Tensor GradScaler::scale(const at::Tensor& loss) {
  if (!scale_.defined()) {
    scale_ = at::full({1}, config_.init_scale, options_);
    growth_tracker_ = at::zeros({1}, options_.dtype(at::kInt));
  }
  return loss * scale_;
}

bool GradScaler::unscale(const std::vector<at::Tensor>& gradients) {
  found_infinite_ = at::zeros({1}, options_);
  if (gradients.empty()) return true;
  // In double, as the reciprocal of a scale above 2^126 is no normal float.
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_infinite_, inverse);
  return found_infinite_.item<float>() == 0.0F;
}

void GradScaler::update() {
  at::_amp_update_scale_(scale_, growth_tracker_, found_infinite_, config_.growth_factor,
                         config_.backoff_factor, config_.growth_interval);
  found_infinite_.reset();
}

void GradScaler::visit(StateVisitor& visitor) {
  visitor.tensor("scale", scale_, StateShape::kOther, TensorRole::kScaler);
  visitor.tensor("growth_tracker", growth_tracker_, StateShape::kOther, TensorRole::kScaler);
}

}  // namespace strata::trainer
