// The decoder-only language model of Stanford's course CS336: token embedding, pre-norm blocks, final norm
// and an untied head. Names, initial values and arithmetic are the course's, so that what its students
// measure in Python can be compared: parameters are called "token_embeddings.weight",
// "layers.0.attn.q_proj.weight", "layers.0.ffn.w1.weight", "layers.0.ln1.weight", "ln_final.weight",
// "lm_head.weight".
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/models/linear.hpp"
#include "host/trainer/models/module_scope.hpp"
#include "host/trainer/models/rms_norm.hpp"
#include "host/trainer/models/rotary_embedding.hpp"
#include "host/trainer/models/token_embedding.hpp"
#include "host/trainer/models/transformer_block.hpp"

namespace strata::trainer {

class Transformer : public torch::nn::Module {
 public:
  // Float32 weights drawn from the global generator: seed it first. `scope` is the root's. On the meta device
  // nothing is allocated, and `forward` does not work. Throws std::invalid_argument for sizes that do not fit
  // each other, with the keys.
  explicit Transformer(const config::ModelConfig& config, const ModuleScope& scope = {},
                       at::Device device = at::kCPU);

  // int64 tokens [batch, tokens], at most `config.context` of them, to float32 logits [batch, tokens, vocab].
  at::Tensor forward(const at::Tensor& tokens) const;

  // Elements, with embedding and head: V d + L (4 d^2 + 3 d d_ff + 2 d) + d + V d.
  std::uint64_t parameter_count() const;

 private:
  ModuleScope scope_;
  ModuleScope head_scope_;
  std::shared_ptr<TokenEmbedding> embedding_;
  std::shared_ptr<RotaryEmbedding> positions_;
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  std::shared_ptr<RmsNorm> final_norm_;
  std::shared_ptr<Linear> head_;
};

}  // namespace strata::trainer
