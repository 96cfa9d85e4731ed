// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/llama/llama.hpp"

#include <torch/nn/modules/container/modulelist.h>

#include <string>

namespace strata::trainer {

Llama::Llama(const ModelParts& parts, const ModelSite& root)
    : scope_(root.scope),
      checkpoints_(parts.checkpoints),
      needs_mask_(CausalAttention(parts.attention, 0.0).needs_mask()) {
  const config::ModelConfig& config = parts.config;
  embedding_ = register_module(
      "embed_tokens", std::make_shared<Embedding>(config.vocab, config.d_model, kLlamaInitialDeviation,
                                                  root.child("embed_tokens")));
  positions_ = register_module(
      "rotary_emb", std::make_shared<RotaryHalves>(features_of_head(config), config.rope_theta, root));
  torch::nn::ModuleList layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    blocks_.push_back(std::make_shared<LlamaBlock>(parts, root.child("layers").child(std::to_string(layer))));
    layers->push_back(blocks_.back());
  }
  final_norm_ = register_module(
      "norm", std::make_shared<LlamaRmsNorm>(config.d_model, config.norm_epsilon, root.child("norm")));
  const ModelSite head_site = root.child("lm_head");
  head_ = register_module("lm_head", config.tied ? std::make_shared<Head>(embedding_, head_site)
                                                 : std::make_shared<Head>(config.d_model, config.vocab,
                                                                          kLlamaInitialDeviation, head_site));
}

at::Tensor Llama::forward(const at::Tensor& tokens) {
  const auto range = scope_.enter("Llama");
  at::Tensor x = embedding_->forward(tokens);
  const DecoderInputs inputs{positions_->forward(tokens.size(1), x.scalar_type()),
                             needs_mask_ ? causal_mask(x) : at::Tensor()};
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    x = checkpoints_.run_block(
        layer, blocks_[layer]->scope(),
        [block = blocks_[layer], inputs](const at::Tensor& h) { return block->forward(h, inputs); }, x,
        inputs.tensors());
  }
  return head_->forward(final_norm_->forward(x));
}

}  // namespace strata::trainer
