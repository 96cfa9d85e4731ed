// SPDX-License-Identifier: Apache-2.0
// DistilBERT (arXiv:1910.01108) for the classification of sequences. Operations are those of transformers,
// names too, without their prefix: "embeddings.word_embeddings.weight",
// "transformer.layer.0.attention.q_lin.weight", "pre_classifier.weight", "classifier.bias".
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/models/distilbert/distilbert_block.hpp"
#include "host/trainer/models/layers/embedding.hpp"

namespace strata::trainer {

inline constexpr double kDistilBertInitialDeviation = 0.02;

// Of tokens and their learnt positions, normalised.
class DistilBertEmbeddings : public torch::nn::Module {
 public:
  DistilBertEmbeddings(const config::ModelConfig& config, const ModelSite& site);

  // int64 [batch, tokens] to [batch, tokens, d_model].
  at::Tensor forward(const at::Tensor& tokens) const;

 private:
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<Embedding> words_;
  std::shared_ptr<Embedding> positions_;
  std::shared_ptr<LayerNorm> norm_;
  at::Tensor position_ids_;  // int64 [1, positions]
};

class DistilBert : public Model {
 public:
  DistilBert(const ModelParts& parts, const ModelSite& root);

  // int64 tokens [batch, tokens] to logits [batch, classes], of each sequence's first token.
  at::Tensor forward(const at::Tensor& tokens) override;

 private:
  ModuleScope scope_;
  CheckpointPlan checkpoints_;
  double dropout_;
  std::shared_ptr<DistilBertEmbeddings> embeddings_;
  std::vector<std::shared_ptr<DistilBertBlock>> blocks_;
  std::shared_ptr<Linear> pre_classifier_;
  std::shared_ptr<Linear> classifier_;
};

}  // namespace strata::trainer
