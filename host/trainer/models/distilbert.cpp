// SPDX-License-Identifier: Apache-2.0
// DistilBERT (arXiv:1910.01108) for the classification of sequences. Operations are those of transformers,
// names too, without their prefix: "embeddings.word_embeddings.weight",
// "transformer.layer.0.attention.q_lin.weight", "pre_classifier.weight", "classifier.bias".
#include <torch/nn/modules/container/modulelist.h>

#include <cmath>
#include <string>
#include <vector>

#include "host/trainer/models/families.hpp"
#include "host/trainer/models/layers/attention.hpp"
#include "host/trainer/models/layers/embedding.hpp"
#include "host/trainer/models/layers/linear.hpp"
#include "host/trainer/models/layers/norms.hpp"

namespace strata::trainer {
namespace {

constexpr double kDistilBertInitialDeviation = 0.02;

std::shared_ptr<Linear> distilbert_linear(std::int64_t from, std::int64_t to, const ModelSite& site) {
  return std::make_shared<Linear>(Linear::Shape{from, to, /*bias=*/true}, kDistilBertInitialDeviation, site);
}

std::shared_ptr<LayerNorm> distilbert_norm(const config::ModelConfig& config, const ModelSite& site) {
  return std::make_shared<LayerNorm>(config.d_model, config.norm_epsilon, /*bias=*/true, site);
}

}  // namespace

// Embeddings of tokens and their learnt positions, normalised.
class DistilBertEmbeddings : public torch::nn::Module {
 public:
  DistilBertEmbeddings(const config::ModelConfig& config, const ModelSite& site)
      : dropout_(config.dropout), scope_(site.scope) {
    const auto table = [&](const char* name, std::int64_t entries, std::int64_t padding) {
      return register_module(name,
                             std::make_shared<Embedding>(entries, config.d_model, kDistilBertInitialDeviation,
                                                         site.child(name), padding));
    };
    words_ = table("word_embeddings", config.vocab, /*padding=*/0);
    positions_ = table("position_embeddings", config.positions, Embedding::kNoPadding);
    norm_ = register_module("LayerNorm", distilbert_norm(config, site.child("LayerNorm")));
    position_ids_ = register_buffer("position_ids",
                                    at::arange(config.positions, site.tensors.dtype(at::kLong)).unsqueeze(0));
  }

  // int64 [batch, tokens] to [batch, tokens, d_model].
  at::Tensor forward(const at::Tensor& tokens) const {
    const auto range = scope_.enter("DistilBertEmbeddings");
    const at::Tensor position_ids = position_ids_.narrow(1, 0, tokens.size(1));
    const at::Tensor words = words_->forward(tokens);
    return at::dropout(norm_->forward(words + positions_->forward(position_ids)), dropout_, /*train=*/true);
  }

 private:
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<Embedding> words_;
  std::shared_ptr<Embedding> positions_;
  std::shared_ptr<LayerNorm> norm_;
  at::Tensor position_ids_;  // int64 [1, positions]
};

// Self-attention in which every token sees every other.
class DistilBertAttention : public torch::nn::Module {
 public:
  DistilBertAttention(const ModelParts& parts, const ModelSite& site)
      : features_(features_of_head(parts.config)),
        is_naive_(parts.attention == config::Attention::kNaive),
        dropout_(parts.config.dropout),
        scope_(site.scope) {
    const std::int64_t d_model = parts.config.d_model;
    const auto projection = [&](const char* name) {
      return register_module(name, distilbert_linear(d_model, d_model, site.child(name)));
    };
    query_projection_ = projection("q_lin");
    key_projection_ = projection("k_lin");
    value_projection_ = projection("v_lin");
    output_projection_ = projection("out_lin");
  }

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("DistilBertAttention");
    const at::Tensor query = split_heads(query_projection_->forward(x), features_);
    const at::Tensor key = split_heads(key_projection_->forward(x), features_);
    const at::Tensor value = split_heads(value_projection_->forward(x), features_);
    const at::Tensor attended = attend(query, key, value).transpose(1, 2).contiguous();
    return output_projection_->forward(attended.flatten(2));
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  // Naive as transformers' eager attention.
  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
    if (!is_naive_) return at::scaled_dot_product_attention(query, key, value, std::nullopt, dropout_);
    const double scale = 1.0 / std::sqrt(static_cast<double>(features_));
    at::Tensor weights = at::softmax(at::matmul(query, key.transpose(2, 3)) * scale, -1);
    weights = at::dropout(weights, dropout_, /*train=*/true);
    return at::matmul(weights, value);
  }

  std::int64_t features_;  // of a head
  bool is_naive_;
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<Linear> query_projection_;
  std::shared_ptr<Linear> key_projection_;
  std::shared_ptr<Linear> value_projection_;
  std::shared_ptr<Linear> output_projection_;
};

// lin2(gelu(lin1(x))), with dropout.
class DistilBertFeedForward : public torch::nn::Module {
 public:
  DistilBertFeedForward(const config::ModelConfig& config, const ModelSite& site)
      : dropout_(config.dropout), scope_(site.scope) {
    const auto layer = [&](const char* name, std::int64_t from, std::int64_t to) {
      return register_module(name, distilbert_linear(from, to, site.child(name)));
    };
    expansion_ = layer("lin1", config.d_model, config.d_ff);
    contraction_ = layer("lin2", config.d_ff, config.d_model);
  }

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("DistilBertFeedForward");
    return at::dropout(contraction_->forward(at::gelu(expansion_->forward(x))), dropout_, /*train=*/true);
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<Linear> expansion_;
  std::shared_ptr<Linear> contraction_;
};

// One post-norm layer: norm(x + attention(x)), and of that, norm(h + ffn(h)).
class DistilBertBlock : public torch::nn::Module {
 public:
  DistilBertBlock(const ModelParts& parts, const ModelSite& site)
      : scope_(site.scope), checkpoints_(parts.checkpoints) {
    const config::ModelConfig& config = parts.config;
    const auto norm = [&](const char* name) {
      return register_module(name, distilbert_norm(config, site.child(name)));
    };
    attention_ =
        register_module("attention", std::make_shared<DistilBertAttention>(parts, site.child("attention")));
    attention_norm_ = norm("sa_layer_norm");
    feed_forward_ =
        register_module("ffn", std::make_shared<DistilBertFeedForward>(config, site.child("ffn")));
    output_norm_ = norm("output_layer_norm");
  }

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("DistilBertBlock");
    const auto attend = [layer = attention_](const at::Tensor& h) { return layer->forward(h); };
    const auto feed_forward = [layer = feed_forward_](const at::Tensor& h) { return layer->forward(h); };
    const at::Tensor attended =
        attention_norm_->forward(checkpoints_.run_attention(attention_->scope(), attend, x) + x);
    return output_norm_->forward(
        checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward, attended) + attended);
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<DistilBertAttention> attention_;
  std::shared_ptr<LayerNorm> attention_norm_;
  std::shared_ptr<DistilBertFeedForward> feed_forward_;
  std::shared_ptr<LayerNorm> output_norm_;
};

// Gives its part of the model a name, and has nothing of its own.
struct DistilBertEncoder : torch::nn::Module {
  torch::nn::ModuleList layer = register_module("layer", torch::nn::ModuleList());
};

class DistilBert : public Model {
 public:
  DistilBert(const ModelParts& parts, const ModelSite& root)
      : scope_(root.scope), checkpoints_(parts.checkpoints), dropout_(parts.config.dropout) {
    const config::ModelConfig& config = parts.config;
    embeddings_ = register_module("embeddings",
                                  std::make_shared<DistilBertEmbeddings>(config, root.child("embeddings")));
    const auto encoder = register_module("transformer", std::make_shared<DistilBertEncoder>());
    const ModelSite layers = root.child("transformer").child("layer");
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      blocks_.push_back(std::make_shared<DistilBertBlock>(parts, layers.child(std::to_string(layer))));
      encoder->layer->push_back(blocks_.back());
    }
    const auto linear = [&](const char* name, std::int64_t to) {
      return register_module(name, distilbert_linear(config.d_model, to, root.child(name)));
    };
    pre_classifier_ = linear("pre_classifier", config.d_model);
    classifier_ = linear("classifier", config.classes);
  }

  // int64 tokens [batch, tokens] to logits [batch, classes], of each sequence's first token.
  at::Tensor forward(const at::Tensor& tokens) override {
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

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  double dropout_;
  std::shared_ptr<DistilBertEmbeddings> embeddings_;
  std::vector<std::shared_ptr<DistilBertBlock>> blocks_;
  std::shared_ptr<Linear> pre_classifier_;
  std::shared_ptr<Linear> classifier_;
};

std::shared_ptr<Model> make_distilbert(const ModelParts& parts, const ModelSite& root) {
  return std::make_shared<DistilBert>(parts, root);
}

}  // namespace strata::trainer
