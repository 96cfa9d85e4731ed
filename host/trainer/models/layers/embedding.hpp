// SPDX-License-Identifier: Apache-2.0
// The embedding of a language model, and its head, which may share the weight.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/module_scope.hpp"

namespace strata::trainer {

// A learnt vector for each entry, as torch.nn.Embedding.
class Embedding : public torch::nn::Module {
 public:
  static constexpr std::int64_t kNoPadding = -1;

  // `weight` [entries, features] from a normal distribution around 0. `padding` is the entry without a
  // gradient.
  Embedding(std::int64_t entries, std::int64_t features, double standard_deviation, const ModelSite& site,
            std::int64_t padding = kNoPadding);
  // Uses the given `weight`. `type` is the class name in a trace, with static storage.
  Embedding(at::Tensor weight, const ModelSite& site, const char* type);

  // int64 [...] to [..., features]. Throws c10::IndexError for an entry out of range.
  at::Tensor forward(const at::Tensor& entries) const;

  // For a head that shares it.
  const at::Tensor& weight() const { return weight_; }

 private:
  std::int64_t padding_ = kNoPadding;
  const char* type_ = "Embedding";
  ModuleScope scope_;
  at::Tensor weight_;
};

// The last layer of a language model: from a vector per token to a score for each entry of the vocabulary.
class Head : public torch::nn::Module {
 public:
  // With its own weight, [vocab, features], from a normal distribution around 0.
  Head(std::int64_t features, std::int64_t vocab, double standard_deviation, const ModelSite& site);
  // With the weight of `embedding`, which is registered only there.
  Head(std::shared_ptr<const Embedding> embedding, const ModelSite& site);

  // [..., features] to [..., vocab].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  ModuleScope scope_;
  std::shared_ptr<const Embedding> embedding_;  // null unless shared
  at::Tensor weight_;                           // undefined if shared
};

}  // namespace strata::trainer
