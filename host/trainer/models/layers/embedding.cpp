// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/embedding.hpp"

#include <utility>

#include "host/trainer/models/layers/initial_weights.hpp"

namespace strata::trainer {

Embedding::Embedding(std::int64_t entries, std::int64_t features, double standard_deviation,
                     const ModelSite& site, std::int64_t padding)
    : padding_(padding),
      scope_(site.scope),
      weight_(register_parameter("weight", normal({entries, features}, standard_deviation, site.tensors))) {}

Embedding::Embedding(at::Tensor weight, const ModelSite& site, const char* type)
    : type_(type), scope_(site.scope), weight_(register_parameter("weight", std::move(weight))) {}

// Not weight_.index(), whose backward uses atomic additions with several threads: two runs with the same seed
// would differ.
at::Tensor Embedding::forward(const at::Tensor& entries) const {
  const auto range = scope_.enter(type_);
  return at::embedding(weight_, entries, padding_);
}

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
