// SPDX-License-Identifier: Apache-2.0
// A vector for each token of the vocabulary.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class TokenEmbedding : public torch::nn::Module {
 public:
  // `weight` [vocab, d_model], drawn with the variance 1.
  TokenEmbedding(std::int64_t vocab, std::int64_t d_model, const ModelSite& site);

  // int64 [batch, context] to [batch, context, d_model]. Throws c10::IndexError for a token outside of the
  // vocabulary.
  at::Tensor forward(const at::Tensor& tokens) const;

  // For a head that shares it.
  const at::Tensor& weight() const { return weight_; }

 private:
  ModuleScope scope_;
  at::Tensor weight_;
};

}  // namespace strata::trainer
