// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/linear.hpp"

#include <utility>

#include "host/trainer/models/layers/initial_weights.hpp"

namespace strata::trainer {

Linear::Linear(const Shape& shape, double standard_deviation, const ModelSite& site)
    : scope_(site.scope),
      weight_(register_parameter(
          "weight", normal({shape.out_features, shape.in_features}, standard_deviation, site.tensors))) {
  if (shape.bias) bias_ = register_parameter("bias", at::zeros({shape.out_features}, site.tensors));
}

Linear::Linear(at::Tensor weight, const ModelSite& site)
    : scope_(site.scope), weight_(register_parameter("weight", std::move(weight))) {}

at::Tensor Linear::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("Linear");
  return at::linear(x, weight_, bias_.defined() ? std::optional(bias_) : std::nullopt);
}

}  // namespace strata::trainer
