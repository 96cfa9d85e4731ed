// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/gpt2/gpt2_mlp.hpp"

#include <cmath>
#include <numbers>

#include "host/trainer/models/adapters/block_linear.hpp"
#include "host/trainer/models/gpt2/gpt2.hpp"

namespace strata::trainer {
namespace {

// Spelt out, as transformers' NewGELUActivation: four tensors of this size stay for backward, of at::gelu
// one.
at::Tensor gelu_new(const at::Tensor& x, bool frees_early) {
  const double slope = std::sqrt(2.0 * std::numbers::inv_pi);
  if (!frees_early) return 0.5 * x * (1.0 + at::tanh(slope * (x + 0.044715 * at::pow(x, 3.0))));
  // Not in one expression, which would hold every step's result to its end.
  const at::Tensor half = 0.5 * x;
  at::Tensor inner = at::pow(x, 3.0);
  inner = 0.044715 * inner;
  inner = x + inner;
  inner = slope * inner;
  inner = at::tanh(inner);
  inner = 1.0 + inner;
  return half * inner;
}

at::Tensor activate(const at::Tensor& x, config::Activation activation, bool frees_early) {
  switch (activation) {
    case config::Activation::kGelu:
      return at::gelu(x, "none");
    case config::Activation::kGeluTanh:
      return at::gelu(x, "tanh");
    case config::Activation::kGeluNew:
      break;
  }
  return gelu_new(x, frees_early);
}

}  // namespace

Gpt2Mlp::Gpt2Mlp(const ModelParts& parts, const ModelSite& site)
    : frees_early_(parts.adapter.is_used()),
      activation_(parts.config.activation),
      dropout_(parts.config.dropout),
      scope_(site.scope) {
  const config::ModelConfig& config = parts.config;
  expansion_ =
      register_module("c_fc", make_block_linear(parts, "c_fc", {config.d_model, config.d_ff, config.bias},
                                                kGpt2InitialDeviation, site));
  contraction_ =
      register_module("c_proj", make_block_linear(parts, "c_proj", {config.d_ff, config.d_model, config.bias},
                                                  gpt2_residual_deviation(config), site));
}

at::Tensor Gpt2Mlp::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("Gpt2Mlp");
  const at::Tensor activated = activate(expansion_->forward(x), activation_, frees_early_);
  return at::dropout(contraction_->forward(activated), dropout_, /*train=*/true);
}

}  // namespace strata::trainer
