// SPDX-License-Identifier: Apache-2.0
// DistilBERT's self-attention: every token sees every other.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/layers/linear.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {

class DistilBertAttention : public torch::nn::Module {
 public:
  DistilBertAttention(const ModelParts& parts, const ModelSite& site);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

  // Where it stands in the model.
  const ModuleScope& scope() const { return scope_; }

 private:
  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

  std::int64_t features_;  // of a head
  bool is_naive_;
  double dropout_;
  ModuleScope scope_;
  std::shared_ptr<Linear> query_projection_;
  std::shared_ptr<Linear> key_projection_;
  std::shared_ptr<Linear> value_projection_;
  std::shared_ptr<Linear> output_projection_;
};

}  // namespace strata::trainer
