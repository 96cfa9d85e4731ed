// SPDX-License-Identifier: Apache-2.0
// The gated feed-forward layer (arXiv:2002.05202): w2(silu(w1 x) * w3 x).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/transformer/einsum_linear.hpp"

namespace strata::trainer {

class SwiGlu : public torch::nn::Module {
 public:
  SwiGlu(std::int64_t d_model, std::int64_t d_ff, const ModelSite& site);

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  ModuleScope scope_;
  std::shared_ptr<EinsumLinear> w1_;
  std::shared_ptr<EinsumLinear> w2_;
  std::shared_ptr<EinsumLinear> w3_;
};

}  // namespace strata::trainer
