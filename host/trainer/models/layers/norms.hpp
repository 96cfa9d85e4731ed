// SPDX-License-Identifier: Apache-2.0
// Normalisation over the last dimension.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/module_scope.hpp"

namespace strata::trainer {

// Layer normalisation (arXiv:1607.06450), as torch.nn.LayerNorm.
class LayerNorm : public torch::nn::Module {
 public:
  // `weight` [features], ones; `bias` [features], zeros, if requested.
  LayerNorm(std::int64_t features, double epsilon, bool bias, const ModelSite& site);

  // [..., features] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  double epsilon_;
  ModuleScope scope_;
  at::Tensor weight_;
  at::Tensor bias_;  // undefined if there is none
};

// Root mean square layer normalisation (arXiv:1910.07467, equation 4), computed in float32 or better.
class RmsNorm : public torch::nn::Module {
 public:
  // When the result is rounded to the input's dtype.
  enum class Rounding {
    kAfterWeight,
    kBeforeWeight  // as in transformers' LlamaRMSNorm
  };

  // `weight` [features], ones.
  RmsNorm(std::int64_t features, double epsilon, Rounding rounding, const ModelSite& site);

  // [..., features] to the same shape and dtype.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  double epsilon_;
  Rounding rounding_;
  ModuleScope scope_;
  at::Tensor weight_;
};

}  // namespace strata::trainer
