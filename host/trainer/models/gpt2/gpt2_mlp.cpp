// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/gpt2/gpt2_mlp.hpp"

#include <cmath>
#include <numbers>

#include "host/trainer/models/gpt2/gpt2.hpp"

namespace strata::trainer {
namespace {

// Spelt out, as transformers' NewGELUActivation: four tensors of this size stay for backward, of at::gelu
// one.
at::Tensor gelu_new(const at::Tensor& x) {
  const double slope = std::sqrt(2.0 * std::numbers::inv_pi);
  return 0.5 * x * (1.0 + at::tanh(slope * (x + 0.044715 * at::pow(x, 3.0))));
}

at::Tensor activate(const at::Tensor& x, config::Activation activation) {
  switch (activation) {
    case config::Activation::kGelu:
      return at::gelu(x, "none");
    case config::Activation::kGeluTanh:
      return at::gelu(x, "tanh");
    case config::Activation::kGeluNew:
      break;
  }
  return gelu_new(x);
}

}  // namespace

Gpt2Mlp::Gpt2Mlp(const config::ModelConfig& config, const ModelSite& site)
    : activation_(config.activation), dropout_(config.dropout), scope_(site.scope) {
  expansion_ = register_module(
      "c_fc", std::make_shared<Linear>(Linear::Shape{config.d_model, config.d_ff, config.bias},
                                       kGpt2InitialDeviation, site.child("c_fc")));
  contraction_ = register_module(
      "c_proj", std::make_shared<Linear>(Linear::Shape{config.d_ff, config.d_model, config.bias},
                                         gpt2_residual_deviation(config), site.child("c_proj")));
}

at::Tensor Gpt2Mlp::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("Gpt2Mlp");
  const at::Tensor activated = activate(expansion_->forward(x), activation_);
  return at::dropout(contraction_->forward(activated), dropout_, /*train=*/true);
}

}  // namespace strata::trainer
