// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/einsum_linear.hpp"

#include <cmath>

#include "host/trainer/models/initial_weights.hpp"

namespace strata::trainer {

EinsumLinear::EinsumLinear(std::int64_t in_features, std::int64_t out_features, const ModelSite& site) {
  const double standard_deviation = std::sqrt(2.0 / static_cast<double>(in_features + out_features));
  weight_ = register_parameter(
      "weight", truncated_normal({out_features, in_features}, standard_deviation, site.tensors));
}

at::Tensor EinsumLinear::forward(const at::Tensor& x) const {
  // einsum, as the course writes it, and not at::linear: its weight gradient arrives transposed and is
  // copied, which shows in the memory of backward.
  return at::einsum("...i,oi->...o", {x, weight_});
}

}  // namespace strata::trainer
