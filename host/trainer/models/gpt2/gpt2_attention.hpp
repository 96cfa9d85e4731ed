// SPDX-License-Identifier: Apache-2.0
// GPT-2's self-attention: queries, keys and values of one projection.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/layers/causal_attention.hpp"
#include "host/trainer/models/layers/linear_layer.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {

class Gpt2Attention : public torch::nn::Module {
 public:
  Gpt2Attention(const ModelParts& parts, const ModelSite& site);

  // [batch, tokens, d_model] to the same shape. `mask` as CausalAttention takes it.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  std::int64_t features_;  // of a head
  double dropout_;
  ModuleScope scope_;
  CausalAttention attention_;
  std::shared_ptr<LinearLayer> input_projection_;
  std::shared_ptr<LinearLayer> output_projection_;
};

}  // namespace strata::trainer
