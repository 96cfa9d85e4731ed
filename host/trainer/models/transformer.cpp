#include "host/trainer/models/transformer.hpp"

#include <fmt/format.h>
#include <torch/nn/modules/container/modulelist.h>

#include <stdexcept>
#include <string>

namespace strata::trainer {

namespace {

std::int64_t features_of_head(const config::ModelConfig& config) {
  if (config.heads <= 0 || config.d_model % config.heads != 0) {
    throw std::invalid_argument(
        fmt::format("model.heads ({}) must divide model.d_model ({}).", config.heads, config.d_model));
  }
  return config.d_model / config.heads;
}

}  // namespace

Transformer::Transformer(const config::ModelConfig& config, const ModuleScope& scope, at::Device device)
    : scope_(scope), head_scope_(scope.child("lm_head")) {
  embedding_ = register_module("token_embeddings",
                               std::make_shared<TokenEmbedding>(config.vocab, config.d_model,
                                                                scope.child("token_embeddings"), device));
  positions_ = register_module(
      "positional_encoder",
      std::make_shared<RotaryEmbedding>(config.context, features_of_head(config), config.rope_theta, device));
  torch::nn::ModuleList layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const ModuleScope layer_scope = scope.child("layers").child(std::to_string(layer));
    blocks_.push_back(std::make_shared<TransformerBlock>(config, positions_, layer_scope, device));
    layers->push_back(blocks_.back());
  }
  final_norm_ = register_module("ln_final", std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon,
                                                                      scope.child("ln_final"), device));
  head_ = register_module("lm_head", std::make_shared<Linear>(config.d_model, config.vocab, device));
}

at::Tensor Transformer::forward(const at::Tensor& tokens) const {
  const auto range = scope_.enter("Transformer");
  at::Tensor x = embedding_->forward(tokens);
  for (const auto& block : blocks_) x = block->forward(x);
  x = final_norm_->forward(x);
  const auto head_range = head_scope_.enter("Linear");
  return head_->forward(x);
}

std::uint64_t Transformer::parameter_count() const {
  std::uint64_t count = 0;
  for (const at::Tensor& parameter : parameters()) count += static_cast<std::uint64_t>(parameter.numel());
  return count;
}

}  // namespace strata::trainer
