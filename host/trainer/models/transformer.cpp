// SPDX-License-Identifier: Apache-2.0
// The decoder-only language model of Stanford's course CS336: token embedding, pre-norm blocks, final norm
// and a head, untied unless configured otherwise. Names, initial values and arithmetic are those of the
// course, so that measurements of its students in Python can be compared: parameters are called
// "token_embeddings.weight", "layers.0.attn.q_proj.weight", "layers.0.ffn.w1.weight", "layers.0.ln1.weight",
// "ln_final.weight", "lm_head.weight".
#include <torch/nn/modules/container/modulelist.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "host/trainer/models/families.hpp"
#include "host/trainer/models/layers/attention.hpp"
#include "host/trainer/models/layers/embedding.hpp"
#include "host/trainer/models/layers/initial_weights.hpp"
#include "host/trainer/models/layers/norms.hpp"

namespace strata::trainer {
namespace {

// Spelt out, as the course has it: at::softmax keeps one tensor of this size for backward, this keeps two.
at::Tensor softmax(const at::Tensor& x) {
  const at::Tensor exponentials = at::exp(x - std::get<0>(at::max(x, -1, /*keepdim=*/true)));
  return exponentials / exponentials.sum(-1, /*keepdim=*/true);
}

// Spelt out, as the course has it: at::silu keeps one tensor of this size for backward, this keeps two.
at::Tensor sigmoid_linear_unit(const at::Tensor& x) {
  return x * at::sigmoid(x);
}

at::Tensor cos_sin_table(std::int64_t context, std::int64_t features, double theta, at::ScalarType dtype) {
  require_pairs(features);
  const at::Tensor exponents = at::arange(0, features, 2, dtype) / features;
  const at::Tensor frequencies = at::pow(theta, -exponents);
  const at::Tensor angles = at::outer(at::arange(context, dtype), frequencies);
  return at::stack({angles.cos(), angles.sin()});
}

}  // namespace

// softmax(q k^T / sqrt(features) + causal mask) v, nothing fused: the scores of all pairs of tokens are
// materialised. All [batch, heads, tokens, features].
at::Tensor naive_causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const double scale = std::sqrt(static_cast<double>(key.size(-1)));
  at::Tensor scores = at::einsum("...qd,...kd->...qk", {query, key}) / scale;

  const at::Tensor position = at::arange(query.size(-2), query.options().dtype(at::kLong));
  const at::Tensor visible = position.unsqueeze(1) >= position.unsqueeze(0);
  scores = at::where(visible, scores, -std::numeric_limits<double>::infinity());

  const at::Tensor weights = softmax(scores);
  return at::einsum("...qk,...kd->...qd", {weights, value});
}

// y = x W^T, without bias.
class EinsumLinear : public torch::nn::Module {
 public:
  // `weight` [out, in], drawn with the variance 2 / (in + out).
  EinsumLinear(std::int64_t in_features, std::int64_t out_features, const ModelSite& site) {
    const double standard_deviation = std::sqrt(2.0 / static_cast<double>(in_features + out_features));
    weight_ = register_parameter(
        "weight", truncated_normal({out_features, in_features}, standard_deviation, site.tensors));
  }

  // [..., in] to [..., out]. einsum, as the course writes it, and not at::linear: its weight gradient arrives
  // transposed and is copied, which shows in the memory of backward.
  at::Tensor forward(const at::Tensor& x) const { return at::einsum("...i,oi->...o", {x, weight_}); }

 private:
  at::Tensor weight_;
};

// Rotary position embedding (arXiv:2104.09864): neighbouring features (2i, 2i + 1) of a token at position t
// are turned by the angle t * theta^(-2i / features).
class RotaryEmbedding : public torch::nn::Module {
 public:
  // The buffer `cos_sin` [2, context, features / 2] is computed once, in float32 or better. Throws
  // std::invalid_argument when `features` is odd.
  RotaryEmbedding(std::int64_t context, std::int64_t features, double theta,
                  const at::TensorOptions& options) {
    const at::ScalarType dtype = at::promote_types(options.dtype().toScalarType(), at::kFloat);
    cos_sin_ = register_buffer("cos_sin", cos_sin_table(context, features, theta, dtype).to(options));
  }

  // [..., tokens, features] to the same shape; the first token is at position 0. At most `context` tokens.
  at::Tensor forward(const at::Tensor& x) const {
    const std::int64_t tokens = x.size(-2);
    const at::Tensor cos = cos_sin_.select(0, 0).narrow(0, 0, tokens);
    const at::Tensor sin = cos_sin_.select(0, 1).narrow(0, 0, tokens);
    const at::Tensor pairs = x.unflatten(-1, {-1, 2});
    const at::Tensor even = pairs.select(-1, 0);
    const at::Tensor odd = pairs.select(-1, 1);
    return at::stack({cos * even - sin * odd, sin * even + cos * odd}, -1).flatten(-2);
  }

 private:
  at::Tensor cos_sin_;
};

// Causal multi-head self-attention with rotary position embedding.
class CausalSelfAttention : public torch::nn::Module {
 public:
  // `positions` turns queries and keys; all layers share it, so it is registered by the model and not here.
  CausalSelfAttention(const ModelParts& parts, std::shared_ptr<const RotaryEmbedding> positions,
                      const ModelSite& site)
      : features_(features_of_head(parts.config)),
        is_naive_(parts.attention == config::Attention::kNaive),
        positions_(std::move(positions)),
        scope_(site.scope) {
    const std::int64_t d_model = parts.config.d_model;
    const auto projection = [&](const char* name) {
      return register_module(name, std::make_shared<EinsumLinear>(d_model, d_model, site));
    };
    query_projection_ = projection("q_proj");
    key_projection_ = projection("k_proj");
    value_projection_ = projection("v_proj");
    output_projection_ = projection("output_proj");
  }

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("CausalSelfAttention");
    at::Tensor query = split_heads(query_projection_->forward(x), features_);
    at::Tensor key = split_heads(key_projection_->forward(x), features_);
    const at::Tensor value = split_heads(value_projection_->forward(x), features_);
    query = positions_->forward(query);
    key = positions_->forward(key);
    const at::Tensor attended = is_naive_ ? naive_causal_attention(query, key, value)
                                          : at::scaled_dot_product_attention(query, key, value, std::nullopt,
                                                                             /*dropout_p=*/0.0,
                                                                             /*is_causal=*/true);
    return output_projection_->forward(attended.transpose(1, 2).flatten(-2));
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  std::int64_t features_;  // of a head
  bool is_naive_;
  std::shared_ptr<const RotaryEmbedding> positions_;
  ModuleScope scope_;
  std::shared_ptr<EinsumLinear> query_projection_;
  std::shared_ptr<EinsumLinear> key_projection_;
  std::shared_ptr<EinsumLinear> value_projection_;
  std::shared_ptr<EinsumLinear> output_projection_;
};

// The gated feed-forward layer (arXiv:2002.05202): w2(silu(w1 x) * w3 x).
class SwiGlu : public torch::nn::Module {
 public:
  SwiGlu(std::int64_t d_model, std::int64_t d_ff, const ModelSite& site)
      : scope_(site.scope),
        w1_(register_module("w1", std::make_shared<EinsumLinear>(d_model, d_ff, site))),
        w2_(register_module("w2", std::make_shared<EinsumLinear>(d_ff, d_model, site))),
        w3_(register_module("w3", std::make_shared<EinsumLinear>(d_model, d_ff, site))) {}

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("SwiGlu");
    return w2_->forward(sigmoid_linear_unit(w1_->forward(x)) * w3_->forward(x));
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  std::shared_ptr<EinsumLinear> w1_;
  std::shared_ptr<EinsumLinear> w2_;
  std::shared_ptr<EinsumLinear> w3_;
};

// One pre-norm layer: x + attn(ln1(x)), and of that, h + ffn(ln2(h)).
class TransformerBlock : public torch::nn::Module {
 public:
  TransformerBlock(const ModelParts& parts, std::shared_ptr<const RotaryEmbedding> positions,
                   const ModelSite& site)
      : scope_(site.scope), checkpoints_(parts.checkpoints) {
    const config::ModelConfig& config = parts.config;
    attention_ = register_module(
        "attn", std::make_shared<CausalSelfAttention>(parts, std::move(positions), site.child("attn")));
    feed_forward_ =
        register_module("ffn", std::make_shared<SwiGlu>(config.d_model, config.d_ff, site.child("ffn")));
    const auto norm = [&](const char* name) {
      return register_module(name,
                             std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon,
                                                       RmsNorm::Rounding::kAfterWeight, site.child(name)));
    };
    attention_norm_ = norm("ln1");
    feed_forward_norm_ = norm("ln2");
  }

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("TransformerBlock");
    const auto attend = [layer = attention_](const at::Tensor& normed) { return layer->forward(normed); };
    const auto feed_forward = [layer = feed_forward_](const at::Tensor& normed) {
      return layer->forward(normed);
    };
    const at::Tensor attended =
        x + checkpoints_.run_attention(attention_->scope(), attend, attention_norm_->forward(x));
    return attended + checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward,
                                                    feed_forward_norm_->forward(attended));
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<CausalSelfAttention> attention_;
  std::shared_ptr<SwiGlu> feed_forward_;
  std::shared_ptr<RmsNorm> attention_norm_;
  std::shared_ptr<RmsNorm> feed_forward_norm_;
};

class Transformer : public Model {
 public:
  Transformer(const ModelParts& parts, const ModelSite& root)
      : scope_(root.scope), head_scope_(root.scope.child("lm_head")), checkpoints_(parts.checkpoints) {
    const config::ModelConfig& config = parts.config;
    embedding_ = register_module(
        "token_embeddings",
        std::make_shared<Embedding>(
            truncated_normal({config.vocab, config.d_model}, /*standard_deviation=*/1.0, root.tensors),
            root.child("token_embeddings"), "TokenEmbedding"));
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
        "ln_final", std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon,
                                              RmsNorm::Rounding::kAfterWeight, root.child("ln_final")));
    if (!config.tied)
      head_ = register_module("lm_head", std::make_shared<EinsumLinear>(config.d_model, config.vocab, root));
  }

  at::Tensor forward(const at::Tensor& tokens) override {
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

 private:
  ModuleScope scope_;
  ModuleScope head_scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<RotaryEmbedding> positions_;
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  std::shared_ptr<RmsNorm> final_norm_;
  std::shared_ptr<EinsumLinear> head_;  // null when the embedding's weight is the head's
};

std::shared_ptr<Model> make_transformer(const ModelParts& parts, const ModelSite& root) {
  return std::make_shared<Transformer>(parts, root);
}

}  // namespace strata::trainer
