// SPDX-License-Identifier: Apache-2.0
// The decoder-only language model of Stanford's course CS336: token embedding, pre-norm blocks, final norm
// and a head, untied unless the configuration says otherwise. Names, initial values and arithmetic are the
// course's, so that what its students measure in Python can be compared: parameters are called
// "token_embeddings.weight", "layers.0.attn.q_proj.weight", "layers.0.ffn.w1.weight", "layers.0.ln1.weight",
// "ln_final.weight", "lm_head.weight".
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/models/module_scope.hpp"
#include "host/trainer/models/transformer/einsum_linear.hpp"
#include "host/trainer/models/transformer/rms_norm.hpp"
#include "host/trainer/models/transformer/rotary_embedding.hpp"
#include "host/trainer/models/transformer/token_embedding.hpp"
#include "host/trainer/models/transformer/transformer_block.hpp"

namespace strata::trainer {

class Transformer : public Model {
 public:
  Transformer(const ModelParts& parts, const ModelSite& root);

  at::Tensor forward(const at::Tensor& tokens) override;

 private:
  ModuleScope scope_;
  ModuleScope head_scope_;
  CheckpointPlan checkpoints_;
  std::shared_ptr<TokenEmbedding> embedding_;
  std::shared_ptr<RotaryEmbedding> positions_;
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  std::shared_ptr<RmsNorm> final_norm_;
  std::shared_ptr<EinsumLinear> head_;  // null when the embedding's weight is the head's
};

}  // namespace strata::trainer
