// SPDX-License-Identifier: Apache-2.0
// GPT-2's feed-forward layer: c_proj(gelu(c_fc(x))).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/config/run_config.hpp"
#include "host/trainer/models/layers/linear_layer.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {

class Gpt2Mlp : public torch::nn::Module {
 public:
  Gpt2Mlp(const ModelParts& parts, const ModelSite& site);

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  bool frees_early_;  // as LlamaMlp's
  config::Activation activation_;
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<LinearLayer> expansion_;
  std::shared_ptr<LinearLayer> contraction_;
};

}  // namespace strata::trainer
