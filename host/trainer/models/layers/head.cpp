// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/head.hpp"

#include <utility>

#include "host/trainer/models/initial_weights.hpp"

namespace strata::trainer {

Head::Head(std::int64_t features, std::int64_t vocab, double standard_deviation, const ModelSite& site)
    : scope_(site.scope),
      weight_(register_parameter("weight", normal({vocab, features}, standard_deviation, site.tensors))) {}

Head::Head(std::shared_ptr<const Embedding> embedding, const ModelSite& site)
    : scope_(site.scope), embedding_(std::move(embedding)) {}

at::Tensor Head::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("Linear");
  return at::linear(x, embedding_ ? embedding_->weight() : weight_);
}

}  // namespace strata::trainer
