// SPDX-License-Identifier: Apache-2.0
// The table of a language model, and the head at its other end, which may share it.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

// A learnt vector for each entry of a table, as torch.nn.Embedding.
class Embedding : public torch::nn::Module {
 public:
  static constexpr std::int64_t kNoPadding = -1;

  // `weight` [entries, features] from a normal distribution around 0. `padding` is the entry that gets no
  // gradient.
  Embedding(std::int64_t entries, std::int64_t features, double standard_deviation, const ModelSite& site,
            std::int64_t padding = kNoPadding);
  // `weight` as it is given. `type` is the name of the class in a trace, and has static storage.
  Embedding(at::Tensor weight, const ModelSite& site, const char* type);

  // int64 [...] to [..., features]. Throws c10::IndexError for an entry outside of the table.
  at::Tensor forward(const at::Tensor& entries) const;

  // For a head that shares it.
  const at::Tensor& weight() const { return weight_; }

 private:
  std::int64_t padding_ = kNoPadding;
  const char* type_ = "Embedding";
  ModuleScope scope_;
  at::Tensor weight_;
};

// The last layer of a language model: a vector of each token to a score of each entry of the vocabulary.
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
