// A learnt vector for each entry of a table, as torch.nn.Embedding.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class Embedding : public torch::nn::Module {
 public:
  // `weight` [entries, features] from a normal distribution around 0.
  Embedding(std::int64_t entries, std::int64_t features, double standard_deviation, const ModelSite& site);

  // int64 [...] to [..., features]. Throws c10::IndexError for an entry outside of the table.
  at::Tensor forward(const at::Tensor& entries) const;

  // For a head that shares it.
  const at::Tensor& weight() const { return weight_; }

 private:
  ModuleScope scope_;
  at::Tensor weight_;
};

}  // namespace strata::trainer
