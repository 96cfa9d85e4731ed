// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/gpt2/gpt2_attention.hpp"

#include "host/trainer/models/adapters/block_linear.hpp"
#include "host/trainer/models/gpt2/gpt2.hpp"
#include "host/trainer/models/layers/heads.hpp"

namespace strata::trainer {

Gpt2Attention::Gpt2Attention(const ModelParts& parts, const ModelSite& site)
    : features_(features_of_head(parts.config)),
      dropout_(parts.config.dropout),
      scope_(site.scope),
      attention_(parts.attention, parts.config.dropout, SoftmaxType::kOfScores) {
  const config::ModelConfig& config = parts.config;
  input_projection_ = register_module(
      "c_attn", make_block_linear(parts, "c_attn", {config.d_model, 3 * config.d_model, config.bias},
                                  kGpt2InitialDeviation, site));
  output_projection_ = register_module(
      "c_proj", make_block_linear(parts, "c_proj", {config.d_model, config.d_model, config.bias},
                                  gpt2_residual_deviation(config), site));
}

at::Tensor Gpt2Attention::forward(const at::Tensor& x, const at::Tensor& mask) const {
  const auto range = scope_.enter("Gpt2Attention");
  const std::vector<at::Tensor> parts = input_projection_->forward(x).split(x.size(-1), 2);
  const at::Tensor attended =
      attention_.forward(split_heads(parts[0], features_), split_heads(parts[1], features_),
                         split_heads(parts[2], features_), mask);
  return at::dropout(output_projection_->forward(attended), dropout_, /*train=*/true);
}

}  // namespace strata::trainer
