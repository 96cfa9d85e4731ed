// SPDX-License-Identifier: Apache-2.0
// GPT-2: learnt positions, LayerNorm, biases, a head that shares the embedding's weight. Operations are those
// of transformers, names too, without their prefix: "wte.weight", "wpe.weight", "h.0.attn.c_attn.weight",
// "h.0.mlp.c_fc.bias", "ln_f.weight". Matrices are [out, in] as torch.nn.Linear's, where transformers keeps
// them transposed.
#include <torch/nn/modules/container/modulelist.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "host/trainer/models/families.hpp"
#include "host/trainer/models/layers/attention.hpp"
#include "host/trainer/models/layers/embedding.hpp"
#include "host/trainer/models/layers/norms.hpp"
#include "host/trainer/models/lora_linear.hpp"

namespace strata::trainer {
namespace {

constexpr double kGpt2InitialDeviation = 0.02;

// For weights that add to the residual stream, 2 layers times, so that its variance stays constant.
double gpt2_residual_deviation(const config::ModelConfig& config) {
  return kGpt2InitialDeviation / std::sqrt(2.0 * static_cast<double>(config.layers));
}

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

// Self-attention: queries, keys and values of one projection.
class Gpt2Attention : public torch::nn::Module {
 public:
  Gpt2Attention(const ModelParts& parts, const ModelSite& site)
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

  // [batch, tokens, d_model] to the same shape. `mask` as CausalAttention takes it.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) const {
    const auto range = scope_.enter("Gpt2Attention");
    const std::vector<at::Tensor> parts = input_projection_->forward(x).split(x.size(-1), 2);
    const at::Tensor attended =
        attention_.forward(split_heads(parts[0], features_), split_heads(parts[1], features_),
                           split_heads(parts[2], features_), mask);
    return at::dropout(output_projection_->forward(attended), dropout_, /*train=*/true);
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  std::int64_t features_;  // of a head
  double dropout_;
  ModuleScope scope_;
  CausalAttention attention_;
  std::shared_ptr<LinearLayer> input_projection_;
  std::shared_ptr<LinearLayer> output_projection_;
};

// The feed-forward layer: c_proj(gelu(c_fc(x))).
class Gpt2Mlp : public torch::nn::Module {
 public:
  Gpt2Mlp(const ModelParts& parts, const ModelSite& site)
      : frees_early_(parts.adapter.is_used()),
        activation_(parts.config.activation),
        dropout_(parts.config.dropout),
        scope_(site.scope) {
    const config::ModelConfig& config = parts.config;
    expansion_ =
        register_module("c_fc", make_block_linear(parts, "c_fc", {config.d_model, config.d_ff, config.bias},
                                                  kGpt2InitialDeviation, site));
    contraction_ = register_module(
        "c_proj", make_block_linear(parts, "c_proj", {config.d_ff, config.d_model, config.bias},
                                    gpt2_residual_deviation(config), site));
  }

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const {
    const auto range = scope_.enter("Gpt2Mlp");
    const at::Tensor activated = activate(expansion_->forward(x), activation_, frees_early_);
    return at::dropout(contraction_->forward(activated), dropout_, /*train=*/true);
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  bool frees_early_;  // as LlamaMlp's
  config::Activation activation_;
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<LinearLayer> expansion_;
  std::shared_ptr<LinearLayer> contraction_;
};

// One pre-norm layer: x + attn(ln_1(x)), and of that, h + mlp(ln_2(h)).
class Gpt2Block : public torch::nn::Module {
 public:
  Gpt2Block(const ModelParts& parts, const ModelSite& site)
      : scope_(site.scope), checkpoints_(parts.checkpoints) {
    const config::ModelConfig& config = parts.config;
    const auto norm = [&](const char* name) {
      return register_module(name, std::make_shared<LayerNorm>(config.d_model, config.norm_epsilon,
                                                               config.bias, site.child(name)));
    };
    attention_norm_ = norm("ln_1");
    attention_ = register_module("attn", std::make_shared<Gpt2Attention>(parts, site.child("attn")));
    feed_forward_norm_ = norm("ln_2");
    feed_forward_ = register_module("mlp", std::make_shared<Gpt2Mlp>(parts, site.child("mlp")));
  }

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) const {
    const auto range = scope_.enter("Gpt2Block");
    const auto attend = [attention = attention_, mask](const at::Tensor& normed) {
      return attention->forward(normed, mask);
    };
    const auto feed_forward = [layer = feed_forward_](const at::Tensor& normed) {
      return layer->forward(normed);
    };
    const at::Tensor attended = checkpoints_.run_attention(attention_->scope(), attend,
                                                           attention_norm_->forward(x), {{"mask", mask}}) +
                                x;
    return attended + checkpoints_.run_feed_forward(feed_forward_->scope(), feed_forward,
                                                    feed_forward_norm_->forward(attended));
  }

  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<LayerNorm> attention_norm_;
  std::shared_ptr<Gpt2Attention> attention_;
  std::shared_ptr<LayerNorm> feed_forward_norm_;
  std::shared_ptr<Gpt2Mlp> feed_forward_;
};

class Gpt2 : public Model {
 public:
  Gpt2(const ModelParts& parts, const ModelSite& root)
      : scope_(root.scope),
        checkpoints_(parts.checkpoints),
        dropout_(parts.config.dropout),
        needs_mask_(CausalAttention(parts.attention, 0.0).needs_mask()) {
    const config::ModelConfig& config = parts.config;
    const auto table = [&](const char* name, std::int64_t entries) {
      return register_module(name, std::make_shared<Embedding>(entries, config.d_model, kGpt2InitialDeviation,
                                                               root.child(name)));
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
    head_ = register_module(
        "lm_head",
        config.tied ? std::make_shared<Head>(embedding_, head_site)
                    : std::make_shared<Head>(config.d_model, config.vocab, kGpt2InitialDeviation, head_site));
  }

  at::Tensor forward(const at::Tensor& tokens) override {
    const auto range = scope_.enter("Gpt2");
    // Not in one expression: the gradients are made in the reverse order of their operands, and wte's, the
    // larger one, has to come last.
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

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  double dropout_;
  bool needs_mask_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<Embedding> positions_;
  std::vector<std::shared_ptr<Gpt2Block>> blocks_;
  std::shared_ptr<LayerNorm> final_norm_;
  std::shared_ptr<Head> head_;
};

std::shared_ptr<Model> make_gpt2(const ModelParts& parts, const ModelSite& root) {
  return std::make_shared<Gpt2>(parts, root);
}

}  // namespace strata::trainer
