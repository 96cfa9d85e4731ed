// SPDX-License-Identifier: Apache-2.0
// The last layer of a language model: a vector of each token to a score of each entry of the vocabulary.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/layers/embedding.hpp"

namespace strata::trainer {

class Head : public torch::nn::Module {
 public:
  // With a weight of its own, [vocab, features], from a normal distribution around 0.
  Head(std::int64_t features, std::int64_t vocab, double standard_deviation, const ModelSite& site);
  // With the weight of `embedding`, which stays registered there alone.
  Head(std::shared_ptr<const Embedding> embedding, const ModelSite& site);

  // [..., features] to [..., vocab].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  ModuleScope scope_;
  std::shared_ptr<const Embedding> embedding_;  // null unless shared
  at::Tensor weight_;                           // undefined if shared
};

}  // namespace strata::trainer
