// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/distilbert/distilbert.hpp"

#include <torch/nn/modules/container/modulelist.h>

#include <string>

namespace strata::trainer {
namespace {

// Names a part of the model, and has nothing of its own.
struct Encoder : torch::nn::Module {
  torch::nn::ModuleList layer = register_module("layer", torch::nn::ModuleList());
};

}  // namespace

DistilBertEmbeddings::DistilBertEmbeddings(const config::ModelConfig& config, const ModelSite& site)
    : dropout_(config.dropout), scope_(site.scope) {
  const auto table = [&](const char* name, std::int64_t entries, std::int64_t padding) {
    return register_module(name,
                           std::make_shared<Embedding>(entries, config.d_model, kDistilBertInitialDeviation,
                                                       site.child(name), padding));
  };
  words_ = table("word_embeddings", config.vocab, /*padding=*/0);
  positions_ = table("position_embeddings", config.positions, Embedding::kNoPadding);
  norm_ = register_module("LayerNorm", std::make_shared<LayerNorm>(config.d_model, config.norm_epsilon,
                                                                   /*bias=*/true, site.child("LayerNorm")));
  position_ids_ = register_buffer("position_ids",
                                  at::arange(config.positions, site.tensors.dtype(at::kLong)).unsqueeze(0));
}

at::Tensor DistilBertEmbeddings::forward(const at::Tensor& tokens) const {
  const auto range = scope_.enter("DistilBertEmbeddings");
  const at::Tensor position_ids = position_ids_.narrow(1, 0, tokens.size(1));
  const at::Tensor words = words_->forward(tokens);
  return at::dropout(norm_->forward(words + positions_->forward(position_ids)), dropout_, /*train=*/true);
}

DistilBert::DistilBert(const ModelParts& parts, const ModelSite& root)
    : scope_(root.scope), checkpoints_(parts.checkpoints), dropout_(parts.config.dropout) {
  const config::ModelConfig& config = parts.config;
  embeddings_ =
      register_module("embeddings", std::make_shared<DistilBertEmbeddings>(config, root.child("embeddings")));
  const auto encoder = register_module("transformer", std::make_shared<Encoder>());
  const ModelSite layers = root.child("transformer").child("layer");
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    blocks_.push_back(std::make_shared<DistilBertBlock>(parts, layers.child(std::to_string(layer))));
    encoder->layer->push_back(blocks_.back());
  }
  const auto linear = [&](const char* name, std::int64_t to) {
    return register_module(name, std::make_shared<Linear>(Linear::Shape{config.d_model, to, /*bias=*/true},
                                                          kDistilBertInitialDeviation, root.child(name)));
  };
  pre_classifier_ = linear("pre_classifier", config.d_model);
  classifier_ = linear("classifier", config.classes);
}

at::Tensor DistilBert::forward(const at::Tensor& tokens) {
  const auto range = scope_.enter("DistilBert");
  at::Tensor x = embeddings_->forward(tokens);
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    x = checkpoints_.run_block(
        layer, blocks_[layer]->scope(),
        [block = blocks_[layer]](const at::Tensor& h) { return block->forward(h); }, x);
  }
  const at::Tensor pooled = at::relu(pre_classifier_->forward(x.select(1, 0)));
  return classifier_->forward(at::dropout(pooled, dropout_, /*train=*/true));
}

}  // namespace strata::trainer
