// SPDX-License-Identifier: Apache-2.0
// A learnt vector for each entry of a table, as torch.nn.Embedding.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class Embedding : public torch::nn::Module {
 public:
  static constexpr std::int64_t kNoPadding = -1;

  // `weight` [entries, features] from a normal distribution around 0. `padding` is the entry that gets no
  // gradient.
  Embedding(std::int64_t entries, std::int64_t features, double standard_deviation, const ModelSite& site,
            std::int64_t padding = kNoPadding);

  // int64 [...] to [..., features]. Throws c10::IndexError for an entry outside of the table.
  at::Tensor forward(const at::Tensor& entries) const;

  // For a head that shares it.
  const at::Tensor& weight() const { return weight_; }

 private:
  std::int64_t padding_;
  ModuleScope scope_;
  at::Tensor weight_;
};

}  // namespace strata::trainer
