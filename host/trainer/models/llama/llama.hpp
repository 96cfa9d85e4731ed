// SPDX-License-Identifier: Apache-2.0
// LLaMA, and Qwen2.5, which adds biases to queries, keys and values and shares the embedding with the head.
// Operations are those of transformers, names too, without their prefix: "embed_tokens.weight",
// "layers.0.self_attn.q_proj.weight", "layers.0.mlp.gate_proj.weight", "norm.weight", "lm_head.weight".
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/models/layers/embedding.hpp"
#include "host/trainer/models/layers/head.hpp"
#include "host/trainer/models/llama/llama_block.hpp"

namespace strata::trainer {

// Of every matrix, as transformers' initializer_range.
inline constexpr double kLlamaInitialDeviation = 0.02;

class Llama : public Model {
 public:
  Llama(const ModelParts& parts, const ModelSite& root);

  at::Tensor forward(const at::Tensor& tokens) override;

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  bool needs_mask_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<RotaryHalves> positions_;
  std::vector<std::shared_ptr<LlamaBlock>> blocks_;
  std::shared_ptr<LlamaRmsNorm> final_norm_;
  std::shared_ptr<Head> head_;
};

}  // namespace strata::trainer
