// SPDX-License-Identifier: Apache-2.0
// Self-attention of LLaMA and Qwen: rotary positions, keys and values that queries may share.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/layers/causal_attention.hpp"
#include "host/trainer/models/layers/linear_layer.hpp"
#include "host/trainer/models/llama/rotary_halves.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {

// What all layers of one forward read.
struct DecoderInputs {
  Turns turns;
  at::Tensor mask;  // undefined where attention needs none

  OwnedTensors tensors() const { return {{"cos", turns.cos}, {"sin", turns.sin}, {"mask", mask}}; }
};

class LlamaAttention : public torch::nn::Module {
 public:
  // Qwen's queries, keys and values have biases.
  LlamaAttention(const ModelParts& parts, const ModelSite& site);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x, const DecoderInputs& inputs) const;

  // Where it stands in the model.
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

}  // namespace strata::trainer
