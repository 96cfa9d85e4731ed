// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/transformer.hpp"

#include <torch/nn/modules/container/modulelist.h>

#include <string>

namespace strata::trainer {

Transformer::Transformer(const ModelParts& parts, const ModelSite& root)
    : scope_(root.scope), head_scope_(root.scope.child("lm_head")), checkpoints_(parts.checkpoints) {
  const config::ModelConfig& config = parts.config;
  embedding_ = register_module(
      "token_embeddings",
      std::make_shared<TokenEmbedding>(config.vocab, config.d_model, root.child("token_embeddings")));
  positions_ = register_module("positional_encoder",
                               std::make_shared<RotaryEmbedding>(config.context, features_of_head(config),
                                                                 config.rope_theta, root.tensors));
  torch::nn::ModuleList layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const ModelSite site = root.child("layers").child(std::to_string(layer));
    blocks_.push_back(std::make_shared<TransformerBlock>(parts, positions_, site));
    layers->push_back(blocks_.back());
  }
  final_norm_ = register_module(
      "ln_final", std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon, root.child("ln_final")));
  if (!config.tied)
    head_ = register_module("lm_head", std::make_shared<EinsumLinear>(config.d_model, config.vocab, root));
}

at::Tensor Transformer::forward(const at::Tensor& tokens) {
  const auto range = scope_.enter("Transformer");
  at::Tensor x = embedding_->forward(tokens);
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    x = checkpoints_.run_block(
        layer, blocks_[layer]->scope(),
        [block = blocks_[layer]](const at::Tensor& h) { return block->forward(h); }, x);
  }
  x = final_norm_->forward(x);
  const auto head_range = head_scope_.enter("Linear");
  return head_ ? head_->forward(x) : at::einsum("...i,oi->...o", {x, embedding_->weight()});
}

}  // namespace strata::trainer
