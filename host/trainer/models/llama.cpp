// SPDX-License-Identifier: Apache-2.0
// LLaMA, and Qwen2.5, which adds biases to queries, keys and values and shares the embedding with the head.
// Operations are those of transformers, names too, without their prefix: "embed_tokens.weight",
// "layers.0.self_attn.q_proj.weight", "layers.0.mlp.gate_proj.weight", "norm.weight", "lm_head.weight".
#include <torch/nn/modules/container/modulelist.h>

#include <string>
#include <vector>

#include "host/trainer/models/families.hpp"
#include "host/trainer/models/layers/attention.hpp"
#include "host/trainer/models/layers/embedding.hpp"
#include "host/trainer/models/layers/norms.hpp"
#include "host/trainer/models/lora_linear.hpp"

namespace strata::trainer {

// For every token: cosine and sine of its angles, each [1, tokens, features].
struct Turns {
  at::Tensor cos;
  at::Tensor sin;
};

// The inputs shared by all layers in a forward.
struct DecoderInputs {
  Turns turns;
  at::Tensor mask;  // undefined where attention needs none

  OwnedTensors tensors() const { return {{"cos", turns.cos}, {"sin", turns.sin}, {"mask", mask}}; }
};

namespace {

// For every matrix, as transformers' initializer_range.
constexpr double kLlamaInitialDeviation = 0.02;

at::Tensor inverse_frequencies(std::int64_t features, double theta, const at::TensorOptions& options) {
  require_pairs(features);
  const at::Tensor exponents = at::arange(0, features, 2, options) / features;
  return 1.0 / at::pow(theta, exponents);
}

at::Tensor rotated_by_half(const at::Tensor& heads) {
  const std::int64_t half = heads.size(-1) / 2;
  return at::cat({-heads.narrow(-1, half, half), heads.narrow(-1, 0, half)}, -1);
}

// `heads` [batch, heads, tokens, features], turned.
at::Tensor turn(const at::Tensor& heads, const Turns& turns) {
  return heads * turns.cos.unsqueeze(1) + rotated_by_half(heads) * turns.sin.unsqueeze(1);
}

}  // namespace

// Rotary position embedding (arXiv:2104.09864) as transformers has it: feature i of a head's first half is
// turned together with feature i of its second half.
class RotaryHalves : public torch::nn::Module {
 public:
  // The buffer `inv_freq` [features / 2], float32 or better. Throws std::invalid_argument when `features` is
  // odd.
  RotaryHalves(std::int64_t features, double theta, const ModelSite& site) {
    const at::ScalarType dtype = at::promote_types(site.tensors.dtype().toScalarType(), at::kFloat);
    inverse_frequencies_ =
        register_buffer("inv_freq", inverse_frequencies(features, theta, site.tensors.dtype(dtype)));
  }

  // For tokens at positions 0 to `tokens` - 1, in `dtype`. Without gradient.
  Turns forward(std::int64_t tokens, at::ScalarType dtype) const {
    const at::NoGradGuard no_gradients;
    const at::Tensor positions =
        at::arange(tokens, inverse_frequencies_.options().dtype(at::kLong)).unsqueeze(0).unsqueeze(-1);
    const at::Tensor angles = positions.to(inverse_frequencies_.scalar_type()) * inverse_frequencies_;
    const at::Tensor both_halves = at::cat({angles, angles}, -1);
    return {both_halves.cos().to(dtype), both_halves.sin().to(dtype)};
  }

 private:
  at::Tensor inverse_frequencies_;
};

// Self-attention: rotary positions, keys and values that queries may share.
class LlamaAttention : public torch::nn::Module {
 public:
  // Qwen's queries, keys and values have biases.
  LlamaAttention(const ModelParts& parts, const ModelSite& site)
      : features_(features_of_head(parts.config)), scope_(site.scope), attention_(parts.attention, 0.0) {
    const config::ModelConfig& config = parts.config;
    const std::int64_t key_features = features_ * config.kv_heads;
    const bool bias = config.name == config::Architecture::kQwen;
    const auto projection = [&](const char* name, const Linear::Shape& shape) {
      return register_module(name, make_block_linear(parts, name, shape, kLlamaInitialDeviation, site));
    };
    query_projection_ = projection("q_proj", {config.d_model, config.d_model, bias});
    key_projection_ = projection("k_proj", {config.d_model, key_features, bias});
    value_projection_ = projection("v_proj", {config.d_model, key_features, bias});
    output_projection_ = projection("o_proj", {config.d_model, config.d_model});
  }

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x, const DecoderInputs& inputs) const {
    const auto range = scope_.enter("LlamaAttention");
    at::Tensor query = split_heads(query_projection_->forward(x), features_);
    at::Tensor key = split_heads(key_projection_->forward(x), features_);
    const at::Tensor value = split_heads(value_projection_->forward(x), features_);
    query = turn(query, inputs.turns);
    key = turn(key, inputs.turns);
    return output_projection_->forward(attention_.forward(query, key, value, inputs.mask));
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  std::int64_t features_;  // of a head
  ModuleScope scope_;
  CausalAttention attention_;
  std::shared_ptr<LinearLayer> query_projection_;
  std::shared_ptr<LinearLayer> key_projection_;
  std::shared_ptr<LinearLayer> value_projection_;
  std::shared_ptr<LinearLayer> output_projection_;
};

// The gated feed-forward layer (arXiv:2002.05202): down(silu(gate x) * up x).
class LlamaMlp : public torch::nn::Module {
 public:
  LlamaMlp(const ModelParts& parts, const ModelSite& site)
      : frees_early_(parts.adapter.is_used()), scope_(site.scope) {
    const std::int64_t d_model = parts.config.d_model;
    const std::int64_t d_ff = parts.config.d_ff;
    const auto projection = [&](const char* name, std::int64_t from, std::int64_t to) {
      return register_module(name, make_block_linear(parts, name, {from, to}, kLlamaInitialDeviation, site));
    };
    gate_projection_ = projection("gate_proj", d_model, d_ff);
    up_projection_ = projection("up_proj", d_model, d_ff);
    down_projection_ = projection("down_proj", d_ff, d_model);
  }

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("LlamaMlp");
    if (!frees_early_)
      return down_projection_->forward(at::silu(gate_projection_->forward(x)) * up_projection_->forward(x));
    // Not in one expression: the gate comes first, and the results of silu and `up` are freed before `down`
    // runs.
    at::Tensor hidden = at::silu(gate_projection_->forward(x));
    hidden = hidden * up_projection_->forward(x);
    return down_projection_->forward(hidden);
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  // Python frees early, and so does transformers. Without an adapter the order is the one that was compared
  // with an H200 (docs/parity.md), until the other can be compared with a GPU.
  bool frees_early_;
  ModuleScope scope_;
  std::shared_ptr<LinearLayer> gate_projection_;
  std::shared_ptr<LinearLayer> up_projection_;
  std::shared_ptr<LinearLayer> down_projection_;
};

// One pre-norm layer: x + self_attn(input_layernorm(x)), and of that, h + mlp(post_attention_layernorm(h)).
class LlamaBlock : public torch::nn::Module {
 public:
  // Registered in the order of use, by which fill_with_hash counts.
  LlamaBlock(const ModelParts& parts, const ModelSite& site)
      : scope_(site.scope), checkpoints_(parts.checkpoints) {
    const config::ModelConfig& config = parts.config;
    const auto norm = [&](const char* name) {
      return register_module(name,
                             std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon,
                                                       RmsNorm::Rounding::kBeforeWeight, site.child(name)));
    };
    attention_norm_ = norm("input_layernorm");
    attention_ =
        register_module("self_attn", std::make_shared<LlamaAttention>(parts, site.child("self_attn")));
    feed_forward_norm_ = norm("post_attention_layernorm");
    feed_forward_ = register_module("mlp", std::make_shared<LlamaMlp>(parts, site.child("mlp")));
  }

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x, const DecoderInputs& inputs) const {
    const auto range = scope_.enter("LlamaBlock");
    const auto attend = [attention = attention_, inputs](const at::Tensor& normed) {
      return attention->forward(normed, inputs);
    };
    const auto feed_forward = [layer = feed_forward_](const at::Tensor& normed) {
      return layer->forward(normed);
    };
    const at::Tensor attended = x + checkpoints_.run_attention(attention_->scope(), attend,
                                                               attention_norm_->forward(x), inputs.tensors());
    return attended + checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward,
                                                    feed_forward_norm_->forward(attended));
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<RmsNorm> attention_norm_;
  std::shared_ptr<LlamaAttention> attention_;
  std::shared_ptr<RmsNorm> feed_forward_norm_;
  std::shared_ptr<LlamaMlp> feed_forward_;
};

class Llama : public Model {
 public:
  Llama(const ModelParts& parts, const ModelSite& root)
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
      blocks_.push_back(
          std::make_shared<LlamaBlock>(parts, root.child("layers").child(std::to_string(layer))));
      layers->push_back(blocks_.back());
    }
    final_norm_ = register_module(
        "norm", std::make_shared<RmsNorm>(config.d_model, config.norm_epsilon,
                                          RmsNorm::Rounding::kBeforeWeight, root.child("norm")));
    const ModelSite head_site = root.child("lm_head");
    head_ =
        register_module("lm_head", config.tied ? std::make_shared<Head>(embedding_, head_site)
                                               : std::make_shared<Head>(config.d_model, config.vocab,
                                                                        kLlamaInitialDeviation, head_site));
  }

  at::Tensor forward(const at::Tensor& tokens) override {
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

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  bool needs_mask_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<RotaryHalves> positions_;
  std::vector<std::shared_ptr<LlamaBlock>> blocks_;
  std::shared_ptr<RmsNorm> final_norm_;
  std::shared_ptr<Head> head_;
};

std::shared_ptr<Model> make_llama(const ModelParts& parts, const ModelSite& root) {
  return std::make_shared<Llama>(parts, root);
}

}  // namespace strata::trainer
