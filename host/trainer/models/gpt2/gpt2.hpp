// SPDX-License-Identifier: Apache-2.0
// GPT-2: learnt positions, LayerNorm, biases, a head that shares the embedding's weight. Operations are those
// of transformers, names too, without their prefix: "wte.weight", "wpe.weight", "h.0.attn.c_attn.weight",
// "h.0.mlp.c_fc.bias", "ln_f.weight". Matrices are [out, in] as torch.nn.Linear's, where transformers keeps
// them transposed.
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/models/gpt2/gpt2_block.hpp"
#include "host/trainer/models/layers/embedding.hpp"
#include "host/trainer/models/layers/head.hpp"

namespace strata::trainer {

inline constexpr double kGpt2InitialDeviation = 0.02;
// Of what is added to the residual stream, 2 layers times, so that its variance stays.
double gpt2_residual_deviation(const config::ModelConfig& config);

class Gpt2 : public Model {
 public:
  Gpt2(const ModelParts& parts, const ModelSite& root);

  at::Tensor forward(const at::Tensor& tokens) override;

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

}  // namespace strata::trainer
