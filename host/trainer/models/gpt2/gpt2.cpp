// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/gpt2/gpt2.hpp"

#include <torch/nn/modules/container/modulelist.h>

#include <cmath>
#include <string>

namespace strata::trainer {

double gpt2_residual_deviation(const config::ModelConfig& config) {
  return kGpt2InitialDeviation / std::sqrt(2.0 * static_cast<double>(config.layers));
}

Gpt2::Gpt2(const ModelParts& parts, const ModelSite& root)
    : scope_(root.scope),
      checkpoints_(parts.checkpoints),
      dropout_(parts.config.dropout),
      needs_mask_(CausalAttention(parts.attention, 0.0).needs_mask()) {
  const config::ModelConfig& config = parts.config;
  const auto table = [&](const char* name, std::int64_t entries) {
    return register_module(
        name, std::make_shared<Embedding>(entries, config.d_model, kGpt2InitialDeviation, root.child(name)));
  };
  embedding_ = table("wte", config.vocab);
  positions_ = table("wpe", config.positions);
  torch::nn::ModuleList layers = register_module("h", torch::nn::ModuleList());
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    blocks_.push_back(std::make_shared<Gpt2Block>(parts, root.child("h").child(std::to_string(layer))));
    layers->push_back(blocks_.back());
  }
  final_norm_ = register_module("ln_f", std::make_shared<LayerNorm>(config.d_model, config.norm_epsilon,
                                                                    config.bias, root.child("ln_f")));
  const ModelSite head_site = root.child("lm_head");
  head_ = register_module("lm_head", config.tied ? std::make_shared<Head>(embedding_, head_site)
                                                 : std::make_shared<Head>(config.d_model, config.vocab,
                                                                          kGpt2InitialDeviation, head_site));
}

at::Tensor Gpt2::forward(const at::Tensor& tokens) {
  const auto range = scope_.enter("Gpt2");
  // Not in one expression: which operand is made first decides which gradient is, and wte's, the larger one,
  // comes last.
  at::Tensor x = embedding_->forward(tokens);
  const at::Tensor position = at::arange(tokens.size(1), tokens.options()).unsqueeze(0);
  x = x + positions_->forward(position);
  const at::Tensor mask = needs_mask_ ? causal_mask(x) : at::Tensor();
  x = at::dropout(x, dropout_, /*train=*/true);
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    x = checkpoints_.run_block(
        layer, blocks_[layer]->scope(),
        [block = blocks_[layer], mask](const at::Tensor& h) { return block->forward(h, mask); }, x,
        {{"mask", mask}});
  }
  return head_->forward(final_norm_->forward(x));
}

}  // namespace strata::trainer
