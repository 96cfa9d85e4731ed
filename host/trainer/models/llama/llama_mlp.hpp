// SPDX-License-Identifier: Apache-2.0
// The gated feed-forward layer of LLaMA (arXiv:2002.05202): down(silu(gate x) * up x).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/layers/linear_layer.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {

class LlamaMlp : public torch::nn::Module {
 public:
  LlamaMlp(const ModelParts& parts, const ModelSite& site);

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  // As Python does, and so transformers. Without an adapter the order is the one that was compared with an
  // H200 (docs/parity.md), until a card can compare the other.
  bool frees_early_;
  ModuleScope scope_;
  std::shared_ptr<LinearLayer> gate_projection_;
  std::shared_ptr<LinearLayer> up_projection_;
  std::shared_ptr<LinearLayer> down_projection_;
};

}  // namespace strata::trainer
