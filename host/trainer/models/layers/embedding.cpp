// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/embedding.hpp"

#include "host/trainer/models/initial_weights.hpp"

namespace strata::trainer {

Embedding::Embedding(std::int64_t entries, std::int64_t features, double standard_deviation,
                     const ModelSite& site, std::int64_t padding)
    : padding_(padding),
      scope_(site.scope),
      weight_(register_parameter("weight", normal({entries, features}, standard_deviation, site.tensors))) {}

at::Tensor Embedding::forward(const at::Tensor& entries) const {
  const auto range = scope_.enter("Embedding");
  return at::embedding(weight_, entries, padding_);
}

}  // namespace strata::trainer
